# Both models as one picture: the page has the states of its nodes.
tenon simplify -q tiny.onnx -o smaller.onnx
tenon diff -q --stat tiny.onnx smaller.onnx --html both.html >/dev/null
echo $?
grep -c '<!doctype html>' both.html
tenon diff --stat tiny.onnx smaller.onnx --html both.html
echo $?
tenon convert -q tiny.onnx -o tiny.safetensors --to safetensors
tenon diff --stat tiny.onnx tiny.safetensors --html other.html
echo $?
[ -e other.html ] && echo 'a file was left'
