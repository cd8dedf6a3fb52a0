#!/bin/sh
# maps.sh SOURCE: every file that ARCHITECTURE.md and CONTRIBUTING.md name is
# there, ARCHITECTURE.md lists the passes of a conversion, every line of
# CHANGELOG.md is in a section of its version, and no script left an empty file
# at the root.
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
run=$(sed -n '/^static const struct tn_pass /,/^};/s/^ *{ "\([a-z]*\)".*/\1/p' \
    src/engine/convert_passes.c | sort -u)
told=$(sed -n '/^| pass /,/^$/s/^| \([a-z, ]*\) |.*/\1/p' ARCHITECTURE.md |
    tr -d ' ' | tr ',' '\n' | grep -v '^pass$' | sort -u)
[ -n "$run" ] && [ "$run" = "$told" ] || {
    echo "passes:" $run
    echo "passes in ARCHITECTURE.md:" $told
    status=1
}
awk '/^## / { section = 0 } /^### / { section = 1 }
    /^- / && !section { print "CHANGELOG.md:" NR ": not in a section"; bad = 1 }
    END { exit bad }' CHANGELOG.md || status=1
for file in *; do
    [ -f "$file" ] && [ ! -s "$file" ] || continue
    echo "$file is empty: what left it there?"
    status=1
done
exit "$status"
