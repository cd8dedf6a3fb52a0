# A model without a graph: areas for tensors.
tenon convert -q tiny.onnx -o tiny.safetensors
tenon view tiny.safetensors -o tensors.svg
grep -c '<rect' tensors.svg
tenon view -q tiny.safetensors --stats -o tensors.html
