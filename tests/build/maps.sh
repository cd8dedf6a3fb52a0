#!/bin/sh
# maps.sh SOURCE: every file that ARCHITECTURE.md and CONTRIBUTING.md name is there.
set -eu
cd "$1"
status=0
# A name in a sentence on a folder of src/ or of the root, as `ir/payload.h`.
for file in $(grep -ohE '`(base|io|codec|wire|chunk|ir|format|map|engine|cli|cmake|tools|tests|rules|docs)/[a-z0-9_/.-]+`' \
    ARCHITECTURE.md CONTRIBUTING.md | tr -d '`' | sort -u); do
    [ -e "$file" ] || [ -e "src/$file" ] || {
        echo "$file is not there"
        status=1
    }
done
exit "$status"
