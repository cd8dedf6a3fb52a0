# All that is wrong with a chunked file, not only what keeps it from opening.
mkdir model
{
    echo "saved_model_schema_version: 1 meta_graphs {"
    echo "meta_info_def { tags: 'serve' } graph_def {"
    for i in 1 2 3 4 5 6 7 8; do
        echo "node { name: 'node_$i' op: 'NoOp' }"
    done
    echo "} }"
} >model.pbtxt
tenon undump model.pbtxt -t tensorflow.SavedModel -o model/saved_model.pb
tenon split -q model -o chunks -m 60 -c uncompressed,chunk_size:1
tenon check chunks

# hurt FILE BYTE: another byte there
hurt() {
    printf '\377' | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
cp -r chunks two
hurt two/saved_model.cpb 120
hurt two/saved_model.cpb 300
cp model/saved_model.pb two
tenon check two

# without its end it has no metadata, and more is wrong
cp -r chunks short
hurt short/saved_model.cpb 120
truncate -s -20 short/saved_model.cpb
tenon check short
