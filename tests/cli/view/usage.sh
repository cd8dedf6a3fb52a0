tenon view tiny.onnx
echo $?
tenon view tiny.onnx -o - --json
echo $?
tenon view tiny.onnx -o - --open
echo $?
tenon view nosuch.onnx -o x.html
echo $?
echo hello >words
tenon view words -o x.html
echo $?
ls x.html
tenon view tiny.onnx -o x.png
echo $?
tenon view tiny.onnx -q --form svg -o x.png && head -c 5 x.png
