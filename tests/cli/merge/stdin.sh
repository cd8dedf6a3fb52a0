# Chunks in one file come through a pipe as well.
tenon split -q tiny.onnx -o tiny --max-size 200
cat tiny.cpb | tenon merge - -o one.onnx && cmp one.onnx tiny.onnx
cat tiny.cpb | tenon merge - -o - | cmp - tiny.onnx
cat tiny.cpb | tenon merge - --type onnx.ModelProto -o - | cmp - tiny.onnx
head -c 300 tiny.cpb | tenon merge - -o cut.onnx
ls
