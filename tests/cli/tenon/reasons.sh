# Whoever decides, decides by the reason of a failure: the words of messages may
# change.  The list of reasons is documented.
words=$(sed -n '/define TN_REASON_MAP/,/^enum/s/.*X([A-Z_]*, *"\([a-z-]*\)".*/\1/p' "$root/include/tenon/status.h")
[ "$(echo "$words" | wc -l)" -gt 30 ] || echo "the list of reasons was not read"
for word in $words; do
    grep -q "^| \`$word\` |" "$root/docs/json.md" || echo "$word is not in docs/json.md"
done
grep -nE '(strstr|strcmp|strncmp|strchr|memcmp|memmem|regexec|fnmatch)\([^;]*(->|\.)(what|where)\b' "$root"/cli/*.c
grep -rnE '(strstr|strncmp|strcmp)\([^;]*error(->|\.)what' "$root/src" --include='*.c' | grep -v '_\(test\|fuzz\)\.c'
# and they are printed
echo 'no model' >text.onnx
tenon info --json text.onnx 2>&1 | grep -o '"reason": "[^"]*"'
: >empty.onnx
tenon check --json empty.onnx missing.onnx 2>&1 | grep -o '"reason": "[^"]*"'
