# Every way to misuse options is refused with 2, and says what is wrong.
for words in "info" "info --jsn tiny.onnx" "info -Z tiny.onnx" \
    "info --json=yes tiny.onnx" "info --max-mem lots tiny.onnx" \
    "info --max-mem" "ls tiny.onnx --sort weight" "ls tiny.onnx --workers x" \
    "get tiny.onnx" "get tiny.onnx a b" "convert tiny.onnx" \
    "convert tiny.onnx -o a.onnx --inline --external b" \
    "undump tiny.onnx" "formats extra" "completion tcsh" \
    "get tiny.onnx filters --npy --raw" "get tiny.onnx filters -o filters" \
    "dump --text --json tiny.onnx" "dump --schema s.desc tiny.onnx" \
    "ls --ops --sort size tiny.onnx"; do
    tenon $words
    echo "$? tenon $words"
done
