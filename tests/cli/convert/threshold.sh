# 0 is everything; what is outside and too small comes in; nothing is said.
tenon convert tiny.onnx -o all.onnx --external all.bin --threshold 0
tenon ls all.onnx | cut -f 1,4,5,8
tenon convert all.onnx -o some.onnx --external some.bin --threshold 64
tenon ls some.onnx | cut -f 1,4,5,8
tenon convert all.onnx -o none.onnx --external none.bin
tenon ls none.onnx | cut -f 1,4,5,8
tenon convert tiny.onnx -o none.onnx --threshold lots --external none.bin
echo "$?"
ls
