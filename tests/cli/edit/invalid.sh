# A result that `tenon check` finds new errors in is not written.
tenon edit tiny.onnx -o out.onnx --remove-op decide; echo $?
tenon edit tiny.onnx -o out.onnx --remove-tensor filters; echo $?
tenon edit tiny.onnx -o out.onnx --set-attr 'decide axis=77'; echo $?
tenon edit tiny.onnx -o out.onnx --set-op 'decide Softmux'; echo $?
ls out.onnx
tenon edit -q tiny.onnx -o out.onnx --remove-op decide --force-invalid; echo $?
# What was wrong before is no error of the edit; what it adds is.
tenon edit -q out.onnx -o named.onnx --rename-node look=see; echo $?
tenon edit -q out.onnx -o twice.onnx --remove-op look; echo $?
tenon edit -q out.onnx -o good.onnx --list-outputs 'scores float32 batch,4' && tenon check good.onnx
cat >graph.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "z" op: "Abs" input: "y" attr { key: "T" value { type: DT_FLOAT } } }
END
tenon convert -q graph.pbtxt -o graph.pb
tenon edit -q graph.pb -o named.pb --rename-node y=minus && tenon ls --ops named.pb
tenon edit graph.pb -o no.pb --remove-op y; echo $?
tenon edit graph.pb -o no.pb --set-input 'z 0=^y'; echo $?
tenon edit graph.pb -o no.pb --set-attr 'y T=int32'; echo $?
ls
