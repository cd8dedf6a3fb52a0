# A SavedModel in chunks only when something was split; its fingerprint is made
# anew, once in each container.
mkdir -p model/assets model/variables
echo words >model/assets/words.txt
{
    echo "saved_model_schema_version: 1 meta_graphs {"
    echo "meta_info_def { tags: 'serve' } graph_def {"
    for i in 1 2 3 4 5 6 7 8; do
        echo "node { name: 'node_$i' op: 'NoOp' }"
    done
    echo "} }"
} >model.pbtxt
tenon undump model.pbtxt -t tensorflow.SavedModel -o model/saved_model.pb
printf 'uuid: "00000000000000000007" version { producer: 1 }' >print.pbtxt
tenon undump print.pbtxt -t tensorflow.FingerprintDef -o model/fingerprint.pb

tenon convert model -o whole --image-format && find whole -type f | sort
tenon convert model -o image --image-format -m 60 -c none
find image -type f | sort
tenon dump -t tensorflow.FingerprintDef image/fingerprint.pb
tenon check image

tenon convert image -o back
tenon dump -t tensorflow.FingerprintDef back/fingerprint.pb
tenon check back

echo stale >model/fingerprint.pb
tenon convert model -o image --image-format -m 60 --force
find image -name fingerprint.pb
tenon convert model -o image -m 60
tenon convert model -o out.pb --image-format --to tf-graph
