tenon catalog
echo $?
tenon catalog tiny.onnx -o out.txt
echo $?
echo mine >out.sqlite
tenon catalog tiny.onnx -o out.sqlite
echo $?
echo mine >out.ndjson
tenon catalog tiny.onnx -o out.ndjson
echo $?
tenon catalog nothing.onnx -q -o missing.ndjson
echo $?
tenon catalog --json tiny.onnx -o -
echo $?
cat out.sqlite out.ndjson
TENON_LIBSQLITE3=/nowhere.so tenon catalog tiny.onnx -o new.sqlite
echo $?
ls
