# The words of an action are one argument; who gives several is told how.
tenon edit tiny.onnx --set-attr decide axis=1 -o no.onnx; echo $?
tenon edit --set-attr decide axis=1 tiny.onnx -o no.onnx; echo $?
tenon edit tiny.onnx --doc words more -o no.onnx; echo $?
ls no.onnx
# What was not there before is gone after the undo; so is another name of the graph.
tenon edit tiny.onnx -q --remove-metadata labels --doc '' --model-version '' -o bare.onnx
tenon edit bare.onnx -q --doc words --model-version 3 --graph-name other -o told.onnx --patch-out undo
cat undo
tenon apply -q told.onnx undo -o back.onnx
tenon diff bare.onnx back.onnx && cmp bare.onnx back.onnx
# Constants of TensorFlow are tensors, by the names that their nodes have now.
printf 'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "s/w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 1 float_val: 2 } } } }
node { name: "y" op: "Mul" input: "x" input: "s/w" attr { key: "T" value { type: DT_FLOAT } } }
library { function { signature { name: "f" } node_def { name: "inner" op: "NoOp" } } }' >graph.pbtxt
tenon convert -q graph.pbtxt -o graph.pb
tenon edit graph.pb -q --rename-tensor s/w=v --rename-tensors '*=all/*' -o named.pb
tenon ls named.pb | cut -f1
tenon ls --ops named.pb | cut -f1,4
# A node of a function is found in that function.
tenon edit graph.pb --rename-node inner=other -o no.pb; echo $?
tenon edit graph.pb -q --in f --rename-node inner=other -o inside.pb; echo $?
