# Several files, no chunk past the limit, and the same model again.
tenon split tiny.onnx -o two -m 200 --format-version 2 --max-file 1KiB \
    --max-metadata 256 -c none
ls
tenon merge -q two.cpb -o again.onnx && cmp tiny.onnx again.onnx
tenon check two.cpb
tenon info two.cpb | grep -E "chunked|_version|chunk_file"
mv two.00001-of-* elsewhere
tenon merge two.cpb -o lost.onnx
tenon check two.cpb
