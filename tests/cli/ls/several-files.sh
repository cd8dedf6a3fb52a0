# One model at a time: what a shell made of *.onnx is told.
cp tiny.onnx more.onnx
tenon ls *.onnx
tenon hash *.onnx
tenon hash -q *.onnx
tenon ls --ops tiny.onnx nothing
