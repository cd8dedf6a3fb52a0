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
# each into a file of its own, whose names lead nowhere else
tenon convert -q two -o each --signature all && ls each
tenon info each/second.onnx | grep float32
tenon convert -q two -o each --signature all
echo $?
tenon convert two -o each --signature all --json
echo $?
mkdir bad
model first ../second | tenon undump - -t tensorflow.SavedModel -o bad/saved_model.pb
tenon convert bad -o none --signature all
echo $?
ls -d none second.onnx
# one that is called so
mkdir named
model all other | tenon undump - -t tensorflow.SavedModel -o named/saved_model.pb
tenon convert -q named -o all.onnx --signature all && ls all.onnx
