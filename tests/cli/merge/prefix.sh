# A prefix means its .cpb, else its .pb; a folder becomes a folder.
tenon split -q tiny.onnx -o chunks -m 300
tenon merge chunks -o one.onnx && cmp tiny.onnx one.onnx
tenon split -q tiny.onnx -o whole
tenon merge whole -o two.onnx && cmp tiny.onnx two.onnx
tenon merge whole -o three.onnx -t onnx.ModelProto && cmp tiny.onnx three.onnx
tenon merge nothing -o four.onnx
cp chunks.cpb renamed
tenon merge renamed -o five.onnx && cmp tiny.onnx five.onnx
tenon merge renamed -o six.onnx -t onnx.ModelProto && cmp tiny.onnx six.onnx
tenon merge tiny.onnx -o seven.onnx && cmp tiny.onnx seven.onnx

mkdir -p model/assets
echo words >model/assets/words.txt
{
    echo "saved_model_schema_version: 1 meta_graphs { graph_def {"
    for i in 1 2 3 4 5 6 7 8; do
        echo "node { name: 'node_$i' op: 'NoOp' }"
    done
    echo "} }"
} >model.pbtxt
tenon undump model.pbtxt -t tensorflow.SavedModel -o model/saved_model.pb
printf 'uuid: "00000000000000000007" version { producer: 1 }' >print.pbtxt
tenon undump print.pbtxt -t tensorflow.FingerprintDef -o model/fingerprint.pb
tenon split -q model -o parts -m 60 --rules python
tenon merge parts -o joined && find joined -type f | sort
cmp model/saved_model.pb joined/saved_model.pb
tenon check joined
tenon merge parts/saved_model -o alone.pb && cmp model/saved_model.pb alone.pb
