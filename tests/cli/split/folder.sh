# A SavedModel folder becomes a folder: assets go along, the fingerprint not.
mkdir -p model/assets/deep
echo words >model/assets/deep/vocabulary.txt
echo stale >model/fingerprint.pb
{
    echo "saved_model_schema_version: 1 meta_graphs {"
    echo "meta_info_def { tags: 'serve' } graph_def {"
    for i in 1 2 3 4 5 6 7 8; do
        echo "node { name: 'node_$i' op: 'NoOp' }"
    done
    echo "} }"
} >model.pbtxt
tenon undump model.pbtxt -t tensorflow.SavedModel -o model/saved_model.pb
tenon split model -o chunks -m 60 && find chunks -type f | sort
tenon ls --ops chunks | grep -c node_
tenon split -q model -o whole && cmp model/saved_model.pb whole/saved_model.pb &&
    find whole -type f | sort
tenon split model -o chunks -m 60
