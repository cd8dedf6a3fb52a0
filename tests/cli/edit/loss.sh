# What computes a loss is not removed, even if the loss is no output; a loss that was dangling before may stay so.
cat > losses.json <<'END'
{"variables": [
   {"id": {"first": 2}, "name": "x", "dtype": "FLOAT", "shape": [-1, 2], "variabletype": "PLACEHOLDER"},
   {"id": {"first": 1}, "name": "l", "dtype": "FLOAT", "variabletype": "ARRAY"},
   {"id": {"first": 3}, "name": "i", "dtype": "FLOAT", "variabletype": "ARRAY"},
   {"id": {"first": 4}, "name": "y", "dtype": "FLOAT", "variabletype": "ARRAY"}],
 "nodes": [
   {"id": 1, "name": "a", "opType": "TRANSFORM_STRICT", "opNum": 29, "opName": "tanh", "inputPaired": [{"first": 2}], "outputNames": ["l"], "outputTypes": ["FLOAT"]},
   {"id": 3, "name": "b", "opType": "TRANSFORM_STRICT", "opNum": 29, "opName": "tanh", "inputPaired": [{"first": 1}], "outputNames": ["i"], "outputTypes": ["FLOAT"]},
   {"id": 4, "name": "c", "opType": "TRANSFORM_STRICT", "opNum": 29, "opName": "tanh", "inputPaired": [{"first": 3}], "outputNames": ["y"], "outputTypes": ["FLOAT"]}],
 "lossVariables": ["i"]}
END
tenon undump -q losses.json -t sd.graph.FlatGraph -o losses.fb
tenon convert -q losses.fb -o losses.samediff
for format in fb samediff; do
    tenon edit losses.$format --drop-output i --set-input 'c 0 l' --remove-op b -o out.$format
    tenon edit -q losses.$format --drop-output i --set-input 'c 0 l' --remove-op b --force-invalid -o bad.$format
    tenon edit -q bad.$format --rename-node c=d -o still.$format && tenon info still.$format | grep loss
    tenon edit -q losses.$format --outputs l -o cut.$format
    tenon info cut.$format | grep loss
done
