# an input of unknown rank becomes a file that 'check' complains of: that is said
cat >g.pbtxt <<'EOF'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
EOF
tenon convert g.pbtxt -o g.onnx
tenon convert -q g.pbtxt -o quiet.onnx
tenon check g.onnx
tenon convert --json g.pbtxt -o again.onnx
tenon convert -q --strict g.pbtxt -o strict.onnx || echo "exit $?"
ls *.onnx
