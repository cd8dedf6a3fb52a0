for codec in gzip zstd:99 brotli:best none:1; do
    tenon split tiny.onnx -o out -c $codec
    echo $?
done
