# Weights into numpy's container and back out of it.
tenon convert tiny.onnx -o w.npz
tenon ls w.npz
tenon check w.npz
tenon convert -q w.npz -o w.safetensors
tenon convert -q w.safetensors -o again.npz
tenon hash w.npz | sort >a
tenon hash again.npz | sort | cmp - a
tenon get w.npz filters.bias -o one.npy
tenon info one.npy
tenon convert -q w.npz -o w.index && tenon hash w.index | sort | cmp - a
