# Parts and outputs of models whose inputs and outputs are operators or names.
cat >graph.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { dim { size: -1 } dim { size: 4 } } } } }
node { name: "s" op: "Split" input: "axis" input: "x" attr { key: "T" value { type: DT_FLOAT } }
       attr { key: "num_split" value { i: 2 } } }
node { name: "axis" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
       attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } } }
node { name: "enc/a" op: "Neg" input: "s" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "enc/b" op: "Abs" input: "s:1" input: "^enc/a" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "y" op: "AddV2" input: "enc/a" input: "enc/b" attr { key: "T" value { type: DT_FLOAT } } }
END
tenon convert -q graph.pbtxt -o graph.pb
try() { # FILE ACTION...
    file=$1; shift; rm -rf out.* undo.*; echo "$*"
    tenon edit -q "$file" -o "out.${file##*.}" --patch-out undo.patch "$@" || return
    tenon ls --ops "out.${file##*.}" | cut -f1,2,4,5
    tenon check "out.${file##*.}"
    tenon apply -q "out.${file##*.}" undo.patch -o "back.${file##*.}" -f && tenon diff "back.${file##*.}" "$file"
}
try graph.pb --outputs enc/a
try graph.pb --inputs s:1
try graph.pb --inputs enc/a:0
try graph.pb --extract enc
try graph.pb --add-output s:1
try graph.pb --add-output enc/a --drop-output y
try graph.pb --drop-output y
try graph.pb --outputs nothing
try graph.pb --batch 4
tenon convert -q tiny.onnx -o tiny.fb
try tiny.fb --outputs seen
try tiny.fb --inputs seen --outputs votes
try tiny.fb --add-output seen --drop-output probabilities
try tiny.fb --list-inputs 'image float32 8,1,8,8'
try tiny.fb --set-dim 'image[0]=4'
tenon convert -q tiny.onnx -o tiny.samediff
try tiny.samediff --inputs seen --outputs votes
# What a file says about itself stays.
for to in sdz sdnb samediff; do
    tenon convert -q tiny.onnx -o said.$to
    tenon edit -q said.$to -o renamed.$to --rename-node decide=choose
    tenon diff said.$to renamed.$to | grep -v "^[-+]"
done
