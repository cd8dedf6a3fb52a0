#!/bin/sh
# run.sh BUILD TEST...: pytest on Debian's Python, with the library and the
# command of a build.
set -eu
build=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
if ! /usr/bin/python3 -c 'import pytest, numpy' 2>/dev/null; then
    echo "skipped: python3-pytest or python3-numpy is missing"
    exit 77
fi
export TENON_LIBRARY="$build/src/libtenon.so" TENON_COMMAND="$build/tenon"
export PYTHONPATH="$here/../../python"
cd "$here"
exec /usr/bin/python3 -B -m pytest -q -p no:cacheprovider "$@"
