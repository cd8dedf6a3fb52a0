tenon get tiny.onnx flat -o flat.npy
cp flat.npy first.npy
tenon get tiny.onnx compete -o flat.npy
echo $?
cmp flat.npy first.npy
tenon get tiny.onnx compete -f -o flat.npy
wc -c <flat.npy
