# a dialect that no format has is a mistake, unless other rules lead through it
printf 'rules onnx -> onxx 1\nRelu(X) => relu(X)\n' >typo.rules
printf '# from nowhere\n  \nrules nobody <-> nowhere 1\nFoo(x) => Bar(x)\n' >nobody.rules
printf 'rules onnx -> mine 1\nRelu(X) => relu(X)\n' >there.rules
printf 'rules mine -> nd4j 1\nrelu(X) => relu(X; cutoff: 0.0)\n' >on.rules
tenon rules check typo.rules
tenon rules check --json nobody.rules
tenon rules check there.rules on.rules
