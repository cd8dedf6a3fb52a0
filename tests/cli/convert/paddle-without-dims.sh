# A result that a program declares without dims has the rank that follows from
# the operators, or none; it is a scalar only where they say so.
program() { # what comes between the input and y
    cat <<END_OF_PROGRAM
blocks { idx: 0 parent_idx: -1
  vars { name: "feed" type { type: FEED_MINIBATCH } persistable: true }
  vars { name: "fetch" type { type: FETCH_LIST } persistable: true }
  vars { name: "x" type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: -1 dims: 3 } } } }
  vars { name: "y" type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 } } } }
  ops { inputs { parameter: "X" arguments: "feed" } outputs { parameter: "Out" arguments: "x" } type: "feed" attrs { name: "col" type: INT i: 0 } }
  ops { inputs { parameter: "X" arguments: "x" } outputs { parameter: "Out" arguments: "y" } $1 }
  ops { inputs { parameter: "X" arguments: "y" } outputs { parameter: "Out" arguments: "fetch" } type: "fetch" attrs { name: "col" type: INT i: 0 } }
}
version { version: 2003000 }
END_OF_PROGRAM
}
program 'type: "relu"' >same.pdmodel.txt
program 'type: "reduce_sum" attrs { name: "reduce_all" type: BOOLEAN b: true } attrs { name: "keep_dim" type: BOOLEAN b: false }' >all.pdmodel.txt
for name in same all; do
    tenon info "$name.pdmodel.txt" | sed -n '/Outputs/,/^$/p'
    tenon convert -q "$name.pdmodel.txt" -o "$name.onnx"
    tenon info "$name.onnx" | sed -n '/Outputs/,/^$/p'
    tenon check "$name.onnx"
done
