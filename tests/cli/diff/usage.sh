tenon diff tiny.onnx
tenon diff tiny.onnx nosuch.onnx; echo $?
tenon diff nosuch.onnx tiny.onnx; echo $?
tenon diff - - ; echo $?
tenon diff --tolerance much tiny.onnx tiny.onnx; echo $?
head -c 100 tiny.onnx > cut.onnx
tenon diff tiny.onnx cut.onnx; echo $?
tenon diff - tiny.onnx < tiny.onnx && echo same
tenon diff --json tiny.onnx cut.onnx; echo $?
