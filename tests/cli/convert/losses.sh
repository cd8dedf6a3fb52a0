# What is left behind for one reason is said once, however much it is.
tenon undump -t tensorflow.GraphDef -o words.pb - <<'END'
node { name: "a" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape {} string_val: "x" } } } }
node { name: "b" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape {} string_val: "y" } } } }
node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape {} string_val: "z" } } } }
node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
END
tenon convert words.pb -o w.safetensors
tenon convert --json -q words.pb -o v.safetensors | grep losses
