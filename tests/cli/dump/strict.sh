# ir_version 8, spelt with one byte more than it needs
printf '\010\210\000' >odd.pb
tenon dump --type onnx.ModelProto odd.pb
echo $?
tenon dump --strict --type onnx.ModelProto odd.pb -o odd.txt
echo $?
ls
