# Another number of rows in formats other than ONNX, and back by the undo.
cat >graph.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { dim { size: 1 } dim { size: 2 } dim { size: 3 } } } } }
node { name: "s" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
       attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: 1 int_val: 6 } } } }
node { name: "flat" op: "Reshape" input: "x" input: "s" attr { key: "T" value { type: DT_FLOAT } }
       attr { key: "Tshape" value { type: DT_INT32 } } }
node { name: "y" op: "Relu" input: "flat" attr { key: "T" value { type: DT_FLOAT } } }
END
tenon convert -q graph.pbtxt -o a.pb
cat >a.json <<'END'
{"version": 3, "operator_codes": [{"deprecated_builtin_code": 22, "builtin_code": "RESHAPE"}, {"builtin_code": "RELU", "deprecated_builtin_code": 19}],
 "buffers": [{}, {"data": [1, 0, 0, 0, 6, 0, 0, 0]}], "subgraphs": [{"name": "main", "tensors": [
  {"name": "x", "shape": [1, 2, 3]}, {"name": "s", "shape": [2], "type": "INT32", "buffer": 1}, {"name": "z", "shape": [1, 6]}, {"name": "y", "shape": [1, 6]}],
  "inputs": [0], "outputs": [3], "operators": [
  {"inputs": [0, 1], "outputs": [2], "builtin_options_type": "ReshapeOptions", "builtin_options": {"new_shape": [1, 6]}},
  {"opcode_index": 1, "inputs": [2], "outputs": [3]}]}]}
END
tenon undump -q a.json -o a.tflite
sed 's/"RELU", "deprecated_builtin_code": 19/"UNPACK", "deprecated_builtin_code": 88/;s/"inputs": \[2\], "outputs": \[3\]/"inputs": [2], "outputs": [3], "builtin_options_type": "UnpackOptions", "builtin_options": {"num": 1}/;s/"y", "shape": \[1, 6\]/"y", "shape": [6]/' a.json >unpack.json
tenon undump -q unpack.json -o unpack.tflite
tenon convert -q tiny.onnx -o a.fb
mkdir folder
{
    echo "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 'serve' } graph_def {"
    cat graph.pbtxt
    echo "versions { producer: 27 } } signature_def { key: 'serving_default' value {
    inputs { key: 'in' value { name: 'x:0' dtype: DT_FLOAT tensor_shape { dim { size: 1 } dim { size: 2 } dim { size: 3 } } } }
    outputs { key: 'out' value { name: 'y:0' dtype: DT_FLOAT tensor_shape { dim { size: 1 } dim { size: 6 } } } }
    method_name: 'tensorflow/serving/predict' } } }"
} | tenon undump -q --type tensorflow.SavedModel - -o folder/saved_model.pb
var() { # NAME DIMS
    echo "vars { name: '$1' type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: [$2] } } } }"
}
{
    echo "blocks { idx: 0 parent_idx: -1 vars { name: 'feed' type { type: FEED_MINIBATCH } persistable: true }
    vars { name: 'fetch' type { type: FETCH_LIST } persistable: true }"
    var x 1,2,3 && var flat 1,6 && var y 1,6
    echo "ops { inputs { parameter: 'X' arguments: 'feed' } outputs { parameter: 'Out' arguments: 'x' } type: 'feed' attrs { name: 'col' type: INT i: 0 } }
    ops { inputs { parameter: 'X' arguments: 'x' } outputs { parameter: 'Out' arguments: 'flat' } type: 'reshape2' attrs { name: 'shape' type: INTS ints: [1, 6] } }
    ops { inputs { parameter: 'X' arguments: 'flat' } outputs { parameter: 'Out' arguments: 'y' } type: 'relu' }
    ops { inputs { parameter: 'X' arguments: 'y' } outputs { parameter: 'Out' arguments: 'fetch' } type: 'fetch' attrs { name: 'col' type: INT i: 0 } }
    } version { version: 2004002 }"
} >program.pdmodel.txt
tenon convert -q program.pdmodel.txt -o a.pdmodel
try() { # FILE ACTION...
    file=$1; shift; rm -rf out.* undo.*; echo "$*"
    tenon edit -q "$file" -o "out.${file##*.}" --patch-out undo.patch "$@" || return
    tenon info "out.${file##*.}" | sed -n "/^Inputs/,/^Parameters/p;/^Signature/,/^$/p" | grep float
    tenon ls --ops "out.${file##*.}" | cut -f1,2,4,5
    tenon check "out.${file##*.}"
    tenon apply -q "out.${file##*.}" undo.patch -o "back.${file##*.}" -f && tenon diff "back.${file##*.}" "$file"
}
for file in a.pb a.tflite a.pdmodel folder; do
    try $file --batch 4
    try $file --batch rows
    try $file --set-dim 'x[1]=4'
    try $file --dynamic 'x[2]=n'
    try $file --set-dim 'z[0]=4'
done
tenon edit -q a.tflite --dynamic 'x[2]=n' -o open.tflite
tenon dump open.tflite | tr -d ' \n' | grep -o '"shape[^]]*]'
try a.fb --batch 8
try unpack.tflite --batch 4
try unpack.tflite --batch rows
