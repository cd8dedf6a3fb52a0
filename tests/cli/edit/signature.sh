# Signatures of a SavedModel: set, removed, and undone; names follow renames.
mkdir sm
cat >sm.textproto <<'END'
saved_model_schema_version: 1
meta_graphs {
  meta_info_def { tags: "serve" }
  graph_def {
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "shape" value { shape { dim { size: -1 } dim { size: 4 } } } } }
    node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
    versions { producer: 27 }
  }
  signature_def { key: "serving_default" value {
    inputs { key: "in" value { name: "x:0" dtype: DT_FLOAT tensor_shape { dim { size: -1 } dim { size: 4 } } } }
    outputs { key: "out" value { name: "y:0" dtype: DT_FLOAT tensor_shape { dim { size: -1 } dim { size: 4 } } } }
    method_name: "tensorflow/serving/predict" } }
}
END
tenon undump -q --type tensorflow.SavedModel sm.textproto -o sm/saved_model.pb
tenon edit sm --rename x=first --set-signature 'again tensorflow/serving/predict a=first:0 float32 ?,4 -> b=y:0 float32 n,4' -o two --patch-out undo
tenon info two
tenon check two
cat undo
tenon apply -q two undo -o back && tenon diff sm back && echo the same
tenon edit -q sm --remove-signature serving_default --set-signature 'only "" a=x:0 float32 ... -> b=y:0 float32 ...' -o other && tenon info other | sed -n '/^Signature/,/^$/p'
tenon edit sm --set-signature 'bad "" a=nothing:0 float32 4 -> b=y:0 float32 ?,4' -o three
tenon edit sm --set-signature 'bad "" a=x:0 float32 4' -o three
tenon edit sm --remove-signature nothing -o three
tenon edit tiny.onnx --set-signature 'bad "" a=image float32 4 -> b=probabilities float32 4' -o three.onnx
