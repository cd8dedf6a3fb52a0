# Comments at the beginning of a text, where licences stand, go along where texts
# can, and are told elsewhere.
cat >c.pbtxt <<'END'
# Copyright 2026 Somebody
#   Licensed to everybody

node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
# of no licence
node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
END
tenon convert c.pbtxt -o c.onnx && tenon info c.onnx | grep -A1 '  metadata '
tenon convert c.onnx -o c.samediff && tenon convert c.samediff -o back.onnx && tenon info back.onnx | grep -A1 '  metadata '
tenon convert c.pbtxt -o c.fb
tenon convert c.pbtxt -o c.pb
tenon convert --strict c.pbtxt -o again.pbtxt
echo $?
grep -v '^#' c.pbtxt >bare.pbtxt
tenon convert --strict bare.pbtxt -o again.pbtxt
