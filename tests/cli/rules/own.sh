# rules in our own language: listed, explained, held against vocabularies
cat >good.rules <<'END'
rules onnx <-> nd4j 1
ignore inPlace dtype dataType
# how activations go
LeakyRelu(X; alpha) <=> lrelu(X; alpha)
Softmax@1..12(input; axis) -> (output) {
    let n = prod(shape(input)[:axis])
    flat   <- reshape(input, const([n, -1], int64))
    output <- reshape(softmax(flat; dimension: 1), shape_of(input))
}
END
cat >bad.rules <<'END'
rules onnx -> nd4j 1
LeakyRelu(X) => lrelu(X; slope: 1)
Relu(X) -> (Y) { if rank(X) == 2 { Y <- relu(x) } }
END
printf 'rules onnx -> nd4j 1\nRelu(X) =>\n' >broken.rules
cat >examples.rules <<'END'
rules onnx -> nd4j 1
Relu(X) => relu(X; cutoff: 0.0)
    example Relu(x) => relu(x; cutoff: 0.0)
    example Relu(x:float32[2,3]) => relu(x; cutoff: 1.0)
END
printf 'rules onnx -> nd4j 1\nRelu(X) => relu(X)\n  example Relu => relu(x)' >odd.rules
tenon rules ls good.rules
tenon rules ls --json good.rules
tenon rules explain Softmax good.rules
tenon rules explain --json lrelu good.rules
tenon rules explain Frobnicate good.rules
tenon rules check good.rules
tenon rules check bad.rules
tenon rules check --json bad.rules
tenon rules check broken.rules
tenon rules test examples.rules
tenon rules test --json examples.rules
tenon rules test odd.rules
tenon rules check | sed "s/^[0-9,]*/all/"
