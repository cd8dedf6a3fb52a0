# The same change in every layer is one line; names that shift are not a change.
{
    echo 'ir_version: 8 opset_import { version: 17 } graph { name: "g"'
    for i in 0 1 2 3 4 5 6 7; do
        echo "node { input: \"v$i\" output: \"t$i\" name: \"layer.$i/norm\" op_type: \"Softmax\" attribute { name: \"axis\" i: 1 type: INT } }"
        echo "node { input: \"t$i\" output: \"v$((i + 1))\" name: \"layer.$i/act\" op_type: \"Relu\" }"
    done
    echo 'input { name: "v0" } output { name: "v8" } }'
} > a.pbtxt
sed 's/i: 1 type/i: 2 type/' a.pbtxt > b.pbtxt
tenon undump -q a.pbtxt -o a.onnx --from onnx; tenon undump -q b.pbtxt -o b.onnx --from onnx
tenon diff a.onnx b.onnx
tenon diff --all a.onnx b.onnx | head -n 8
# An operator in the middle, and all the numbers behind it one higher.
sed 's/layer\.\([0-9]\)\/norm/n\1/; s/layer\.\([0-9]\)\/act/a\1/' a.pbtxt > c.pbtxt
awk '/"n3"/ { print "node { input: \"v3\" output: \"extra\" name: \"n3\" op_type: \"Neg\" }"; sub("input: \"v3\"", "input: \"extra\""); moved = 1 }
     moved && match($0, /name: "[na][0-9]"/) { s = substr($0, RSTART + 7, 2); sub("name: \"" s "\"", "name: \"" substr(s, 1, 1) (substr(s, 2) + 1) "\"") }
     { print }' c.pbtxt > d.pbtxt
tenon undump -q c.pbtxt -o c.onnx --from onnx; tenon undump -q d.pbtxt -o d.onnx --from onnx
tenon diff c.onnx d.onnx
