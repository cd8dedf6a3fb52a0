# A function that was inlined is not left behind.
mkdir calls
tenon undump - -t tensorflow.SavedModel -o calls/saved_model.pb <<'END'
saved_model_schema_version: 1
meta_graphs {
  graph_def {
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "y" op: "PartitionedCall" input: "x"
      attr { key: "Tin" value { list { type: DT_FLOAT } } }
      attr { key: "Tout" value { list { type: DT_FLOAT } } }
      attr { key: "f" value { func { name: "body" } } } }
    library { function {
      signature { name: "body" input_arg { name: "a" type: DT_FLOAT }
        output_arg { name: "b" type: DT_FLOAT } }
      node_def { name: "relu" op: "Relu" input: "a"
        attr { key: "T" value { type: DT_FLOAT } } }
      ret { key: "b" value: "relu:activations:0" } } }
  }
  signature_def { key: "serve" value {
    inputs { key: "in" value { name: "x:0" dtype: DT_FLOAT } }
    outputs { key: "out" value { name: "y:0" dtype: DT_FLOAT } } } }
}
END
tenon convert calls -o calls.fb
tenon ls --ops calls.fb
