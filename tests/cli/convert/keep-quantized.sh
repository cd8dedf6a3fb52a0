# Weights of eight bits with a range beside them, as TensorFlow's graph_transforms
# write them: numbers of the type that the model computes in, or as they are.
cat >q.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
node { name: "w_quint8_const" op: "Const" attr { key: "dtype" value { type: DT_QUINT8 } }
  attr { key: "value" value { tensor { dtype: DT_QUINT8 tensor_shape { dim { size: 2 } dim { size: 2 } } tensor_content: "\000\177\200\377" } } } }
node { name: "low" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: -64 } } } }
node { name: "high" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 63.5 } } } }
node { name: "w" op: "Dequantize" input: "w_quint8_const" input: "low" input: "high"
  attr { key: "T" value { type: DT_QUINT8 } } attr { key: "mode" value { s: "MIN_FIRST" } } }
node { name: "y" op: "MatMul" input: "x" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
END
for option in '' --keep-quantized; do
    tenon convert -qf q.pbtxt -o q.onnx $option --receipt receipt.json
    tenon ls --ops q.onnx | cut -f2-4
    tenon ls q.onnx | cut -f1-3
    tenon get q.onnx "$(tenon ls q.onnx | head -n 1 | cut -f1)"
    sed 's/, "sha256.*//' receipt.json
done

echo '# sound files stay outside; where to begin is in the message, ready to paste'
cat >wav.pbtxt <<'END'
node { name: "file" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } attr { key: "shape" value { shape { } } } }
node { name: "gain" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } } }
node { name: "wav" op: "DecodeWav" input: "file" attr { key: "desired_channels" value { i: 1 } } }
node { name: "louder" op: "Mul" input: "wav" input: "gain" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "waves" op: "AudioSpectrogram" input: "louder" attr { key: "window_size" value { i: 480 } } attr { key: "stride" value { i: 160 } } }
node { name: "mfcc" op: "Mfcc" input: "waves" input: "wav:1" }
END
tenon convert wav.pbtxt -o wav.onnx 2>&1
inputs=$(tenon convert wav.pbtxt -o wav.onnx 2>&1 | sed -n 's/.*\(--inputs [^ ]*\)$/\1/p')
tenon convert -q wav.pbtxt -o wav.onnx $inputs && tenon info wav.onnx | sed -n '/^Inputs/,/^Operators/p'
