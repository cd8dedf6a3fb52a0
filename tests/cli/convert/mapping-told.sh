# what is known of a mapper is told once, what makes no difference not at all, and long lists end
mapper() { # FRAMEWORK OP OF-ND4J RULES
    echo "mappings { frameworkName: \"$1\" inputFrameworkOpName: \"$2\" opName: \"$3\" $4 }"
}
input() { echo "rule { ruleName: \"ndarraymapping\" ruleType: \"tensor\" inputToOutput { key: \"input\" value: \"$1\" } }"; }
onnx() { # NODES: a chain of them
    echo 'ir_version: 8 opset_import { version: 17 } graph { name: "g"'
    from=x
    for op in "$@"; do
        echo "node { op_type: \"$op\" input: \"$from\" output: \"$from.$op\" }"
        from=$from.$op
    done
    echo 'input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }'
    echo "output { name: \"$from\" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } } }"
}
# A mistake of a mapper: once, though two nodes have it; for the one whose mapper led, and for no other.
onnx Round Neg Round >round.txt
tenon undump -q round.txt -t onnx.ModelProto -o round.onnx
mapper onnx Round round "$(input X)" >round.pbtxt
tenon convert round.onnx -o round.fb --rules round.pbtxt
tenon convert --json -f round.onnx -o round.fb --rules round.pbtxt | grep '"rule"'
tenon convert round.onnx -o strict.fb --rules round.pbtxt --strict || echo "exit $?"
echo 'a plan:'
tenon convert round.onnx -o plan.fb --rules round.pbtxt --plan >/dev/null
echo 'without them:'
mapper onnx Neg neg "$(input X)" >neg.pbtxt
tenon convert round.onnx -o other.fb --rules neg.pbtxt
# An attribute that our rule ignores as well is not told, one that it reads is.
cat >mul.txt <<'END'
node { name: "a" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } dim { size: 2 } } } } }
node { name: "b" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } dim { size: 2 } } } } }
node { name: "y" op: "MatMul" input: "a" input: "b" attr { key: "T" value { type: DT_FLOAT } }
  attr { key: "transpose_a" value { b: true } } attr { key: "transpose_b" value { b: false } }
  attr { key: "grad_a" value { b: true } } }
END
tenon undump -q mul.txt -t tensorflow.GraphDef -o mul.pb
mapper tensorflow MatMul matmul 'rule { ruleName: "ndarraymapping" ruleType: "tensor" inputToOutput { key: "input" value: "a" } inputToOutput { key: "y" value: "b" } }' >mul.pbtxt
tenon convert mul.pb -o mul.fb --rules mul.pbtxt
# Of an operator of their own nobody knows what makes a difference.
cat >own.txt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } } }
node { name: "y" op: "MyRelu" input: "x" attr { key: "grad_a" value { f: 0.5 } } }
END
tenon undump -q own.txt -t tensorflow.GraphDef -o own.pb
mapper tensorflow MyRelu relu "$(input x)" >own.pbtxt
tenon convert own.pb -o own.fb --rules own.pbtxt
# A mapper is for the operators of its framework, not for those of another domain.
sed 's/op_type: "Neg"/& domain: "my.ops"/; s/opset_import/opset_import { domain: "my.ops" version: 1 } &/' round.txt >domain.txt
tenon undump -q domain.txt -t onnx.ModelProto -o domain.onnx
mapper onnx Neg noop >domain.pbtxt
printf 'rules onnx -> nd4j 1\nmy.ops::Neg(X) => neg(X)\n' >domain.rules
tenon convert domain.onnx -o domain.fb --rules domain.pbtxt,domain.rules
# More kinds of operators than a line should have.
set -- Abs Ceil Cos Exp Floor Log Neg Relu Sigmoid Sin Sqrt Tan Tanh
onnx "$@" Abs >many.txt
tenon undump -q many.txt -t onnx.ModelProto -o many.onnx
for op in "$@"; do mapper onnx $op noop; done >many.pbtxt
tenon convert many.onnx -o many.fb --rules many.pbtxt
