# What a signature takes may be what an operator makes: that operator stays, as do those that make what it gives.
mkdir -p m
cat >m/saved_model.pbtxt <<'END'
saved_model_schema_version: 1
meta_graphs {
  meta_info_def { tags: "serve" }
  graph_def {
    node { name: "fed" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 4 } } } } }
    node { name: "x" op: "Identity" input: "fed" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "copy" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "kept" op: "Identity" input: "copy" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "y" op: "Neg" input: "kept" attr { key: "T" value { type: DT_FLOAT } } }
  }
  signature_def {
    key: "serving_default"
    value {
      inputs { key: "x" value { name: "x:0" dtype: DT_FLOAT tensor_shape { dim { size: 4 } } } }
      outputs { key: "y" value { name: "y:0" dtype: DT_FLOAT tensor_shape { dim { size: 4 } } } }
      outputs { key: "z" value { name: "kept:0" dtype: DT_FLOAT tensor_shape { dim { size: 4 } } } }
      method_name: "tensorflow/serving/predict"
    }
  }
}
END
tenon edit -q m -o short --remove-identities
tenon ls --ops short | cut -f1-4
tenon diff -q m short --patch p >diff.txt
tenon apply -q m p -o again
tenon diff short again && echo same
