#!/bin/sh
# api_reference.sh: doxygen makes a reference of the public headers, without a
# warning, and every function is in it.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
command -v doxygen >/dev/null || { echo "skipped: no doxygen"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$top"
{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $folder"; } | doxygen -
for name in tn_model_open tn_array_open tn_edit_commit tn_to_writer; do
    grep -rq "$name" "$folder/html" || { echo "no $name in it"; exit 1; }
done
