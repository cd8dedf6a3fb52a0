# What cannot be written is not the fault of what was read.
tenon get tiny.onnx filters -o nosuch/w.npy
echo $?
tenon convert tiny.onnx -o nosuch/t.onnx
echo $?
tenon dump tiny.onnx -o nosuch/t.txt
echo $?
tenon split tiny.onnx -o nosuch/t
echo $?
tenon get tiny.onnx filters --raw >/dev/full
echo $?
tenon hash tiny.onnx -c nosuch
echo $?
