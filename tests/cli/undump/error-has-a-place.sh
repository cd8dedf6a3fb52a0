printf 'ir_version: 8\ngraph {\n  nodes { }\n}\n' >typo.txt
tenon undump typo.txt -o typo.onnx
echo $?
ls
