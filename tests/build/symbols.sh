#!/bin/sh
# symbols.sh LIBRARY COMMAND ARCHIVE: the shared library shows what the headers
# promise, and nothing else; neither needs a C library newer than glibc 2.34; all
# names in the archive begin with tn_.
set -eu
library=$1
command=$2
archive=$3
include=$(cd "$(dirname "$0")/../../include/tenon" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Without the version of each, and without the versions themselves.
nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' |
    grep -v '^__\|^_fini\|^_init\|^TENON_' | sort >"$folder/shown"
cat "$include"/*.h | tr '\n' ' ' | sed 's/TN_API/\n&/g' |
    sed -n 's/^TN_API[^;(]*[ *]\(tn_[a-z0-9_]*\)(.*/\1/p' | sort -u \
    >"$folder/promised"
diff -u "$folder/promised" "$folder/shown"

# What else is in there may have the name of something in a program.
nm --defined-only --extern-only "$archive" 2>/dev/null |
    awk 'NF == 3 && $3 !~ /^(tn_|_|\.)/ { print $3 " is not called tn_..."; bad = 1 }
         END { exit bad }'

soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
case "$soname" in
libtenon.so.0.*) ;;
*) echo "SONAME is '$soname'"; exit 1 ;;
esac

newest=$(objdump -T "$library" "$command" | sed -n 's/.*(\{0,1\}GLIBC_\([0-9.]*\).*/\1/p' |
    sort -V | tail -n 1)
[ -n "$newest" ] || { echo "no symbol of glibc found"; exit 1; }
[ "$(printf '%s\n' "$newest" 2.34 | sort -V | tail -n 1)" = 2.34 ] || {
    echo "these need a glibc newer than 2.34:"
    objdump -T "$library" "$command" | grep "GLIBC_$newest"
    exit 1
}
