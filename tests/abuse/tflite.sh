# tflite.sh - TFLite models that lie about numbers, places and names

limit="--max-mem 64MiB"

# tflite NAME: a file of the JSON that follows, made without checks.
tflite() {
    cat >model.json
    tenon undump model.json -f -o "$1" || fail "no $1"
}

no_verb() {
    for verb in info ls hash; do
        refuses tenon $verb $limit "$1"
    done
    refuses tenon convert $limit "$1" -f -o out.npz
    refuses tenon edit $limit "$1" --doc x -f -o out.tflite
    exits 1 tenon check $limit "$1"
}

claim "TFLite: numbers of tensors, buffers, codes and subgraphs that do not exist"
for wrong in '"inputs": [7]' '"outputs": [-1]' \
    '"operators": [{"opcode_index": 9}]' '"operators": [{"inputs": [-2]}]' \
    '"operators": [{"outputs": [2147483647]}]'; do
    tflite index.tflite <<END
{"version": 3, "operator_codes": [{"deprecated_builtin_code": 0}], "buffers": [{}],
 "subgraphs": [{"tensors": [{"shape": [1], "name": "x"}], $wrong}]}
END
    no_verb index.tflite
done
tflite buffer.tflite <<'END'
{"version": 3, "buffers": [{}], "subgraphs": [{"tensors": [{"shape": [1], "buffer": 4294967295}]}]}
END
no_verb buffer.tflite
tflite signature.tflite <<'END'
{"version": 3, "buffers": [{}], "subgraphs": [{"tensors": []}],
 "signature_defs": [{"subgraph_index": 1}]}
END
no_verb signature.tflite

claim "TFLite: data at offsets past the end, that wrap"
for place in '"offset": 100000, "size": 4' '"offset": 18446744073709551615, "size": 4' \
    '"offset": 16, "size": 18446744073709551600'; do
    tflite outside.tflite <<END
{"version": 3, "buffers": [{}, {$place}],
 "subgraphs": [{"tensors": [{"shape": [1], "buffer": 1, "name": "w"}]}]}
END
    no_verb outside.tflite
done

claim "TFLite: a file beside the model that is elsewhere"
for name in /etc/passwd ../secret a/../../secret; do
    tflite beside.tflite <<END
{"version": 3, "buffers": [{}], "external_buffer_groups": [{"name": "$name"}],
 "external_buffers": [{"id": 1, "length": 4}],
 "subgraphs": [{"tensors": [{"shape": [1], "external_buffer": 1, "name": "w"}]}]}
END
    no_verb beside.tflite
done

claim "TFLite: a sparse tensor of few bytes is not unpacked into memory"
tflite sparse.tflite <<'END'
{"version": 3, "buffers": [{}, {"data": [7]}],
 "subgraphs": [{"tensors": [{"shape": [65536, 65536], "type": "UINT8", "buffer": 1, "name": "w",
   "sparsity": {"traversal_order": [0, 1], "dim_metadata": [{"format": "SPARSE_CSR",
     "array_segments_type": "Int32Vector", "array_segments": {"values": [0, 1]},
     "array_indices_type": "Int32Vector", "array_indices": {"values": [3]}},
     {"format": "SPARSE_CSR", "array_segments_type": "Int32Vector", "array_segments": {"values": [0, 1]},
     "array_indices_type": "Int32Vector", "array_indices": {"values": [5]}}]}}]}]}
END
exits 0 tenon check $limit sparse.tflite
exits 0 tenon get $limit sparse.tflite w --slice 3,4:7 -f -o w.npy
tflite wrong.tflite <<'END'
{"version": 3, "buffers": [{}, {"data": [7]}],
 "subgraphs": [{"tensors": [{"shape": [4], "type": "UINT8", "buffer": 1, "name": "w",
   "sparsity": {"traversal_order": [0], "dim_metadata": [{"format": "SPARSE_CSR",
     "array_segments_type": "Int32Vector", "array_segments": {"values": [0, 2147483647]},
     "array_indices_type": "Int32Vector", "array_indices": {"values": [3]}}]}}]}]}
END
refuses tenon get $limit wrong.tflite w -f -o w.npy

claim "TFLite: subgraphs that run themselves"
tflite loop.tflite <<'END'
{"version": 3, "operator_codes": [{"deprecated_builtin_code": 119, "builtin_code": 119}], "buffers": [{}],
 "subgraphs": [{"tensors": [{"shape": [1], "name": "x"}, {"shape": [1], "name": "y"}],
   "inputs": [0], "outputs": [1], "operators": [{"inputs": [0], "outputs": [1],
   "builtin_options_type": "WhileOptions", "builtin_options": {}}]}]}
END
exits 1 tenon check $limit loop.tflite
exits 0 tenon view $limit loop.tflite -f -o loop.html

claim "TFLite: a hundred thousand equal names"
python3 - >model.json <<'END'
import json
print(json.dumps({"version": 3, "buffers": [{}], "subgraphs": [
    {"tensors": [{"shape": [1], "name": "x"}] * 100000}]}))
END
tenon undump model.json -f -o names.tflite
exits 0 tenon info $limit names.tflite
