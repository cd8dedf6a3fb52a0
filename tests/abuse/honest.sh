# honest.sh - every test that docs/abuse.md names is there
#
# A row of its tables ends in `file`: `name`; several files and names may
# stand in a row, each name after the file that holds it.

# Alone it would leave its files where it was started.
command -v claim >/dev/null || {
    echo "run it by tests/abuse/run.sh TENON honest" >&2
    exit 2
}

claim "every line of docs/abuse.md names a test that exists"
rows=0
while IFS= read -r line; do
    case $line in '| '*'`'*) ;; *) continue ;; esac
    rows=$((rows + 1))
    file=
    test_column=$(printf '%s\n' "$line" | sed 's/ *|$//; s/.*| //')
    printf '%s\n' "$test_column" | grep -o '`[^`]*`' | tr -d '`' >words
    while IFS= read -r word; do
        if [ -f "$root/$word" ]; then
            file=$root/$word
        elif [ -z "$file" ]; then
            fail "no file '$word': $line"
        elif ! grep -q -F -e "$word" "$file"; then
            fail "nothing called '$word' in $file"
        fi
    done <words
    [ -n "$file" ] || fail "no test: $line"
done <"$root/docs/abuse.md"
[ $rows -gt 50 ] || fail "only $rows rows"

claim "every claim of this folder is in docs/abuse.md"
for script in "$here"/*.sh; do
    [ "$script" = "$here/honest.sh" ] && continue
    sed -n 's/^claim "\(.*\)"$/\1/p' "$script" >words
    while IFS= read -r word; do
        grep -q -F -e "\`$word\`" "$root/docs/abuse.md" ||
            fail "docs/abuse.md does not have '$word'"
    done <words
done

# Every rule that a source reports; a level stands before it, or it is the
# word of a table.
rules() {
    (cd "$root/src" && cat format/$1/*.c ir/*.c wire/pb/pb_check.c) |
        grep -zoP '(TN_LEVEL_\w+|use->unknown|use->deprecated),\s*"\K[a-z0-9-]+' |
        tr '\0' '\n' | sort -u
}

claim "docs/formats name every rule of check, and none that is not there"
for family in onnx tensorflow; do
    page=$root/docs/formats/$family.md
    # Only ONNX declares sizes of values that nodes make.
    rules $family | { [ $family = onnx ] && cat || grep -v '^declared-size$'; } >words
    [ "$(wc -l <words)" -gt 20 ] || fail "few rules of $family"
    while IFS= read -r word; do
        grep -q -F -e "\`$word\`" "$page" || fail "$page: no rule '$word'"
    done <words
    sed -n 's/^| \(error\|warning\|note\) |//p' "$page" | grep -o '`[a-z0-9-]*`' |
        tr -d '`' | grep -v '^--' >words
    while IFS= read -r word; do
        grep -q -r -F -e "\"$word\"" "$root/src" || fail "$page: '$word'?"
    done <words
done

claim "docs/formats/riegeli.md names every rule of chunks, and no other"
page=$root/docs/formats/riegeli.md
cat "$root"/src/format/riegeli/*.c "$root"/src/engine/chunked.c |
    grep -zoP '(TN_LEVEL_\w+, \s*|absorb\w*\(c,[^;"]*|" : )"\K[a-z0-9-]+-[a-z]+' |
    tr '\0' '\n' | sort -u >words
sed -n 's/^| \(error\|warning\|note\) | `\([a-z0-9-]*\)`.*/\2/p' "$page" |
    sort -u >named
[ "$(wc -l <words)" -gt 8 ] || fail "few rules of riegeli"
cmp -s words named || fail "$page: $(diff words named)"

# Of dialects whose vocabulary tells types and ranks.
rules_of_values() {
    grep -hoP 'complain\w*\(.*"\K(type|rank)-[a-z-]+' "$root"/src/ir/value_*.c
}

# And sizes.
rules_of_sizes() {
    grep -hoP '"\K(bad-axis|wrong-length|size-mismatch)(?=")' "$root"/src/ir/value_sizes.c
}

claim "docs/formats name every rule of bare tensors, and no other"
for family in safetensors npz paddle; do
    page=$root/docs/formats/$family.md
    {
        cat "$root"/src/format/$family/*.c |
            grep -zoP '(TN_LEVEL_\w+|tn_value_complain\([^,]*, op),\s*"\K[a-z0-9-]+' |
            tr '\0' '\n'
        [ $family != paddle ] || { rules_of_values && rules_of_sizes; }
    } | sort -u >words
    sed -n 's/^| \(error\|warning\|note\) | `\([a-z0-9-]*\)`.*/\2/p' "$root/docs/formats/$family"*.md |
        sort -u >named
    [ "$(wc -l <words)" -gt 2 ] || fail "few rules of $family"
    cmp -s words named || fail "$page: $(diff words named)"
done

claim "docs/formats/samediff.md names every rule of SameDiff graphs, and no other"
page=$root/docs/formats/samediff.md
{
    cat "$root"/src/format/samediff/sd*.c |
        grep -zoP 'TN_LEVEL_\w+,\s*"\K[a-z0-9-]+' | tr '\0' '\n'
    rules_of_values
} | sort -u >words
sed -n 's/^| \(error\|warning\|note\) | `\([a-z0-9-]*\)`.*/\2/p' "$page" |
    sort -u >named
[ "$(wc -l <words)" -gt 20 ] || fail "few rules of samediff"
cmp -s words named || fail "$page: $(diff words named)"

claim "docs/formats/samediff-tagged.md names every rule of containers, and no other"
page=$root/docs/formats/samediff-tagged.md
find "$root/src/format/samediff" -name 'tag*.c' ! -name '*_test.c' \
    -exec cat {} + | grep -o '"tag-[a-z-]*"' |
    tr -d '"' | sort -u >words
[ "$(wc -l <words)" -gt 15 ] || fail "few rules of containers"
while IFS= read -r word; do
    grep -q -F -e "\`$word\`" "$page" || fail "$page: no rule '$word'"
done <words
sed -n 's/^| \(error\|warning\|note\) |//p' "$page" | grep -o '`tag-[a-z-]*`' |
    tr -d '`' >words
while IFS= read -r word; do
    grep -q -r -F -e "\"$word\"" "$root/src" || fail "$page: '$word'?"
done <words
