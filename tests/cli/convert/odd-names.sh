# Names with commas, spaces, quotes and letters of all kinds; ops that nobody
# has a rule for, by the names that a plan gives them.
cat >odd.txt <<'END'
ir_version: 8 opset_import { version: 17 }
opset_import { domain: "com.acme" version: 1 }
graph { name: "g"
  node { input: "x y" output: "a,b" op_type: "Relu" name: "it's" }
  node { input: "a,b" output: "\"d\"" op_type: "Swirl" domain: "com.acme"
    attribute { name: "deep" type: INT i: 3 } }
  node { input: "\"d\"" output: "été" op_type: "Relu" }
  input { name: "x y" type { tensor_type { elem_type: 1 shape {
    dim { dim_value: 2 } } } } }
  output { name: "été" type { tensor_type { elem_type: 1 } } }
}
END
tenon undump odd.txt -o 'odd names.onnx'
tenon ls --ops 'odd names.onnx'
tenon get 'odd names.onnx' nothing-of-the-kind
tenon convert 'odd names.onnx' -o none.fb
tenon convert 'odd names.onnx' -o all.fb --allow com.acme::Swirl
tenon convert 'odd names.onnx' -o all.fb --allow Swirl --force --quiet
tenon convert 'odd names.onnx' -o begin.fb --outputs 'a\,b'
tenon convert 'odd names.onnx' -o end.fb --inputs '"d"' --outputs été
tenon convert 'odd names.onnx' -o both.fb --inputs '"d",x y' --outputs 'été,a\,b'
tenon ls --ops both.fb
printf 'rules onnx -> nd4j 1\n?\n' >'my own.rules'
tenon convert 'odd names.onnx' -o none.fb --rules 'my own.rules'
