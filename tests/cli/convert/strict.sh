# --strict: a conversion that would leave something behind writes nothing.
tenon undump -t tensorflow.GraphDef -o words.pb - <<'END'
node { name: "a" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape {} string_val: "x" } } } }
node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
END
tenon convert --strict words.pb -o w.safetensors
echo "exit $?"
tenon convert --strict words.pb --to safetensors -o - | wc -c
tenon convert --strict -q words.pb --json -o w.npz
tenon convert --strict words.pb -o whole.pb
tenon convert -q --json words.pb -o v.safetensors | grep -A3 '"losses"'
ls
