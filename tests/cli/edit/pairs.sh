# Nodes that change nothing or little: put in, and taken out again.
tenon edit -q tiny.onnx -o in.onnx --insert-identity seen --insert-casts votes=float16 --insert-qdq 'strokes 0.5 3 uint8'
tenon ls --ops in.onnx | cut -f1-5
tenon check in.onnx
tenon edit -q in.onnx -o out.onnx --remove-identities --remove-qdq --remove-casts
tenon ls --ops out.onnx | cut -f1-5
tenon diff --stat out.onnx tiny.onnx
tenon check out.onnx
# To a type that holds all values, and back: no change.
tenon edit -q tiny.onnx -o wide.onnx --insert-casts votes=float64
tenon edit -q wide.onnx -o same.onnx --remove-casts
tenon ls --ops same.onnx | cut -f1-5
# An output keeps its name.
tenon edit -q tiny.onnx -o copy.onnx --add-op 'copy Identity - probabilities -> result' --outputs result
tenon edit -q copy.onnx -o direct.onnx --remove-identities
tenon ls --ops direct.onnx | cut -f1-5
tenon check direct.onnx
# In other dialects the operators have other names.  What is waited for stays, and so does an output.
cat >graph.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { dim { size: 4 } } } } }
node { name: "read" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "anchor" op: "Identity" input: "read" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "wide" op: "Cast" input: "read:0" attr { key: "SrcT" value { type: DT_FLOAT } }
       attr { key: "DstT" value { type: DT_DOUBLE } } }
node { name: "back" op: "Cast" input: "wide" attr { key: "SrcT" value { type: DT_DOUBLE } }
       attr { key: "DstT" value { type: DT_FLOAT } } }
node { name: "fake" op: "FakeQuantWithMinMaxArgs" input: "back" }
node { name: "sum" op: "Neg" input: "fake" input: "^anchor" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "y" op: "Identity" input: "sum" attr { key: "T" value { type: DT_FLOAT } } }
END
tenon edit -q graph.pbtxt -o short.pb --remove-identities --remove-casts --remove-qdq
tenon check short.pb
tenon ls --ops short.pb | cut -f1-4
tenon convert -q tiny.onnx -o tiny.fb
tenon edit -q tiny.fb -o in.fb --insert-identity seen --insert-casts votes=float64 --patch-out undo.patch
tenon ls --ops in.fb | cut -f1-5
tenon edit -q in.fb -o out.fb --remove-identities --remove-casts
tenon diff out.fb tiny.fb
tenon apply -q in.fb undo.patch -o back.fb
tenon diff back.fb tiny.fb
rm -rf *.fb undo.patch*
tenon edit tiny.onnx -o no.onnx --insert-qdq 'flat 1'
echo $?
tenon edit tiny.onnx -o no.onnx --insert-casts 'votes=float17'
echo $?
tenon edit tiny.onnx -o no.onnx --insert-identity nothing
echo $?
ls
