# TensorFlow to ONNX: directly where every operator has a rule, else through nd4j, as --via always does;
# but not where nd4j has no rule for an operator, either.
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
node='node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } } }
node { name: "y" op: "OP" input: "x" attr { key: "T" value { type: DT_FLOAT } } }'
echo "$node" | sed s/OP/Relu/ > $T/relu.pbtxt
echo "$node" | sed s/OP/Swirl/ > $T/swirl.pbtxt
way() { tenon convert --plan --json "$@" -o $T/y.onnx | sed -n 's/.*"way": //p'; }
way $T/relu.pbtxt
way $T/relu.pbtxt --via nd4j
way $T/swirl.pbtxt
tenon convert $T/relu.pbtxt --via paddle -o $T/y.onnx 2>&1 | sed "s|$T|T|"
