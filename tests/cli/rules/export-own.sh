# rules of our own, for those who read Deeplearning4j's: what is one op there too
cat >my.rules <<'END'
rules onnx -> nd4j 1
LeakyRelu(X; alpha) => lrelu(X; alpha)
Relu(X) => relu(X; cutoff: 0.0)
Softmax@13..(X; axis) when rank(X) == 2 => softmax(X; dimension: axis)
Erf(X) => erf(abs(X))
END
tenon rules export my.rules
tenon rules export --ops -o ops.pbtxt
tenon rules export --mappings -o rules.pbtxt
tenon rules export --json ops.pbtxt rules.pbtxt >a
tenon rules export --json --mappings >b
cmp a b && echo the same
