#!/bin/sh
# symbols.sh LIBRARY: the shared library shows what the headers promise, and
# nothing else.
set -eu
library=$1
include=$(cd "$(dirname "$0")/../../include/tenon" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

nm -D --defined-only "$library" | awk '{ print $3 }' |
    grep -v '^__\|^_fini\|^_init' | sort >"$folder/shown"
cat "$include"/*.h | tr '\n' ' ' | sed 's/TN_API/\n&/g' |
    sed -n 's/^TN_API[^;(]*[ *]\(tn_[a-z0-9_]*\)(.*/\1/p' | sort -u \
    >"$folder/promised"
diff -u "$folder/promised" "$folder/shown"

soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
case "$soname" in
libtenon.so.0.*) ;;
*) echo "SONAME is '$soname'"; exit 1 ;;
esac
