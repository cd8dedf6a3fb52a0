# A chunked model is listed as the model, whatever the file is called.
cat >g.txt <<'END'
node { name: "a" op: "Const" attr { key: "value" value { tensor {
    dtype: DT_INT32 tensor_shape { dim { size: 3 } } int_val: 1 int_val: 2 int_val: 3 } } } }
node { name: "b" op: "Identity" input: "a" }
node { name: "c" op: "Identity" input: "b" }
versions { producer: 1395 }
END
tenon undump -q g.txt -t tensorflow.GraphDef -o g.pb
tenon split -q g.pb -o parts -m 60 -c none
cp parts.cpb bare.riegeli
tenon ls --ops parts.cpb
tenon ls --ops bare.riegeli
tenon ls bare.riegeli
tenon ls --from riegeli bare.riegeli | head -n 2
