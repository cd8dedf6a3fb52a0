#!/bin/sh
# man_options.sh BINARY [--update] - the manual says what the tables say
#
# The OPTIONS section of man/tenon-VERB.1 must equal `tenon VERB --help-man`,
# every verb must have a page, and every example of --help must be one of the
# manual, where man_examples.sh runs it.  --update writes the sections.
set -u

here=$(cd "$(dirname "$0")" && pwd)
man=$(cd "$here/../../man" && pwd)
binary=$(realpath "${1:?usage: man_options.sh BINARY [--update]}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The verbs, as the overview lists them.
verbs() {
    "$binary" --help | awk '/^Verbs/ { on = 1; next } /^$/ { on = 0 }
                            on { print $1 }'
}

# The page with its section replaced by the file $2.
with_section() {
    awk -v section="$2" '
        /^\.SH / { skip = 0 }
        $0 == ".SH OPTIONS" {
            while ((getline line < section) > 0) print line
            skip = 1
        }
        !skip { print }' "$1"
}

# Lines under "Examples" in the help of $1 that the page $2 does not have.
missing_examples() {
    sed -n 's/^\$ //p' "$2" | sed 's/\\-/-/g; s/\\e/\\/g' >"$scratch/commands"
    "$binary" "$1" --help | sed -n '/^Examples$/,$s/^  //p' |
        grep -vxF -f "$scratch/commands"
}

status=0 count=0
for verb in $(verbs); do
    page=$man/tenon-$verb.1
    count=$((count + 1))
    if [ ! -f "$page" ]; then
        echo "man/tenon-$verb.1: there is no such page"
        status=1
        continue
    fi
    "$binary" "$verb" --help-man >"$scratch/section"
    with_section "$page" "$scratch/section" >"$scratch/page"
    if [ "${2:-}" = --update ]; then
        cp "$scratch/page" "$page"
    elif ! diff -u --label "man/tenon-$verb.1" --label "--help-man" "$page" \
        "$scratch/page"; then
        status=1
    fi
    grep -q '^\.SH OPTIONS$' "$page" || status=1
    if missing_examples "$verb" "$page" >"$scratch/missing"; then
        sed "s/^/man\/tenon-$verb.1: no such example: /" "$scratch/missing"
        status=1
    fi
done
echo "man: $count pages compared"
[ "$count" -gt 0 ] && exit $status
exit 1
