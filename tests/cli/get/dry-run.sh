# Nothing is written: no file, and nothing to standard output either.
tenon get tiny.onnx flat -n -o flat.npy
tenon get tiny.onnx flat -n
yes 'metadata_props { key: "k" value: "0123456789" }' | head -n 20000 >long.txt
tenon undump -n --type onnx.ModelProto long.txt -o - | wc -c
tenon dump -n tiny.onnx | wc -c
ls
