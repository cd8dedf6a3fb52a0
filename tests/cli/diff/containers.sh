# The same model in another container is the same, and differences are found across them.
cat > graph.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 1 float_val: 2 } } } }
node { name: "y" op: "AddV2" input: "x" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
versions { producer: 1087 min_consumer: 12 }
END
{
    echo 'saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: "serve" } graph_def {'
    sed 's/float_val: 2/float_val: 2.5/' graph.pbtxt
    echo '} signature_def { key: "serving_default" value { method_name: "tensorflow/serving/predict"'
    echo 'inputs { key: "x" value { name: "x:0" dtype: DT_FLOAT } } outputs { key: "y" value { name: "y:0" dtype: DT_FLOAT } } } } }'
} > saved.pbtxt
mkdir model other
tenon undump -q graph.pbtxt -o graph.pb --from tf-graph
tenon undump -q saved.pbtxt -o model/saved_model.pb --from tf-saved-model
sed 's/2\.5/2/' saved.pbtxt > same.pbtxt
tenon undump -q same.pbtxt -o other/saved_model.pb --from tf-saved-model
tenon diff graph.pb other && echo same
tenon diff graph.pb model
# Two versions in a container.
tenon undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o dense.fb
tenon tag add -q m.samediff one dense.fb
tenon convert -q dense.fb -o all.npz
tenon tag add -q m.samediff two all.npz
tenon diff m.samediff m.samediff --left-tag one --right-tag two && echo same
tenon diff dense.fb m.samediff --right-tag two && echo same
tenon diff dense.fb all.npz && echo same
# One dialect in two containers, of which one names the arguments of operators.
cat > mmul.json <<'END'
{"variables": [
   {"id": {"first": 2}, "name": "x", "dtype": "FLOAT", "shape": [-1, 2], "variabletype": "PLACEHOLDER"},
   {"id": {"first": 3}, "name": "w", "dtype": "FLOAT", "shape": [2, 2], "variabletype": "PLACEHOLDER"},
   {"id": {"first": 1}, "name": "y", "dtype": "FLOAT", "variabletype": "ARRAY"}],
 "nodes": [
   {"id": 1, "name": "m", "opType": "CUSTOM", "opNum": -273014250715117663, "opName": "matmul", "extraInteger": [0, 0, 0],
    "inputPaired": [{"first": 2}, {"first": 3}], "outputNames": ["y"], "outputTypes": ["FLOAT"]}]}
END
tenon undump -q mmul.json -t sd.graph.FlatGraph -o mmul.fb
tenon convert -q mmul.fb -o mmul.samediff
tenon ls --ops --long mmul.samediff
tenon diff mmul.fb mmul.samediff && echo same
tenon edit -q mmul.samediff --set-attr 'm iArgs ints 1 0 0' -o turned.samediff
tenon diff mmul.fb turned.samediff --patch turn
grep -v '^#' turn
tenon apply -q mmul.fb turn -o turned.fb
tenon diff turned.fb turned.samediff && echo same
