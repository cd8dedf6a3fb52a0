# Where the ends of a graph are not clear, the message says what makes them so.
model() {
    cat <<END
saved_model_schema_version: 1
meta_graphs {
  graph_def {
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "y" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
  }
END
    for name in "$@"; do cat <<END
  signature_def { key: "$name" value {
    inputs { key: "a" value { name: "x:0" dtype: DT_FLOAT } }
    outputs { key: "b" value { name: "y:0" dtype: DT_FLOAT } } } }
END
    done
    echo '}'
}
mkdir two
model first second | tenon undump - -t tensorflow.SavedModel -o two/saved_model.pb
tenon convert two -o out.onnx
echo $?
tenon convert two -o out.onnx --signature third
echo $?
tenon convert -q two -o out.onnx --signature second
tenon info out.onnx | grep float32
tenon convert two -o no.onnx --outputs z
echo $?
