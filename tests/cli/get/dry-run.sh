tenon get tiny.onnx flat -n -o flat.npy
ls
