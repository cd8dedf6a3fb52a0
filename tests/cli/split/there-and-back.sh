tenon split tiny.onnx -o tiny --max-size 200 &&
    tenon merge tiny.cpb -o again.onnx &&
    cmp tiny.onnx again.onnx
for codec in none snappy brotli:9 zstd:3; do
    tenon split -q tiny.onnx -o tiny -m 200 -c $codec --transpose --force &&
        tenon merge -q tiny -t onnx.ModelProto -o - | cmp - tiny.onnx
done
