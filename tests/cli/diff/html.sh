# Both models as one picture: the page has the states of its nodes.
tenon simplify -q tiny.onnx -o smaller.onnx
tenon diff -q --stat tiny.onnx smaller.onnx --html both.html >/dev/null
echo $?
grep -c '<!doctype html>' both.html
tenon diff --stat tiny.onnx smaller.onnx --html both.html
echo $?
tenon convert -q tiny.onnx -o tiny.safetensors --to safetensors
tenon diff --stat tiny.safetensors tiny.onnx --html other.html
echo $?
[ -e other.html ] && echo 'a file was left'
# Without a graph: areas of the tensors of both.
printf '\001\002\003\004\005\006\007\010' >raw
tenon edit -q tiny.safetensors -o other.safetensors --remove-tensor filters --rename compete=wires --put-raw 'more=raw float32 2'
tenon diff tiny.safetensors other.safetensors --html areas.svg
for state in 1 2 3; do grep -c "<rect class=\"state s$state\"" areas.svg; done
tenon diff -q --stat tiny.onnx other.safetensors --html areas.html >/dev/null; echo $?
# What is gone stands where it was: before what took its result, by a dashed line.
printf 'ir_version: 8 opset_import { version: 13 } graph { name: "g" input { name: "x" } output { name: "y" }
node { input: "x" output: "h" name: "a" op_type: "Relu" } node { input: "h" output: "s" name: "b" op_type: "Sigmoid" }
node { input: "s" output: "y" name: "c" op_type: "Neg" } }' >long.pbtxt
sed 's/ node { input: "h" output: "s" .* }$//; s/input: "s"/input: "h"/' long.pbtxt >short.pbtxt
tenon diff -q long.pbtxt short.pbtxt --html gone.svg
grep -c 'wire control' gone.svg
