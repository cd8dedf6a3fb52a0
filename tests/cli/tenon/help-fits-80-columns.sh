tenon --help | awk '/^Verbs/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' |
while read -r verb; do
    tenon "$verb" --help
done | awk 'length > 80 { print; bad = 1 } END { exit bad }'
