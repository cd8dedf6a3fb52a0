# which ops of a model have rules; where a rule stands changes
sed 's/"Relu"/"Frob"/' "$root/examples/tiny.onnx.textproto" |
    tenon undump - -o odd.onnx
tenon rules coverage tiny.onnx | sed 's/:[0-9]*$/:N/'
tenon rules coverage --json odd.onnx | sed 's/rules:[0-9]*/rules:N/'
tenon rules coverage
tenon rules coverage odd.onnx >odd; echo $?
