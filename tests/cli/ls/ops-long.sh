tenon ls --ops --long tiny.onnx
tenon ls --ops --long --json tiny.onnx Conv
tenon ls --ops --long "$root/tests/corpus/samediff/named-args-permuted.samediff" matmul
tenon convert -q "$root/tests/corpus/samediff/named-args-permuted.samediff" -o m.samediff
tenon ls --ops --long m.samediff matmul conv2d
