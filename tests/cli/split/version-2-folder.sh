# All files of the message are the folder's; converting leaves none behind.
mkdir model
{
    echo "saved_model_schema_version: 1 meta_graphs {"
    echo "meta_info_def { tags: 'serve' } graph_def {"
    for i in 1 2 3 4 5 6 7 8; do
        echo "node { name: 'node_$i' op: 'NoOp' }"
    done
    echo "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_UINT8 } }"
    echo "attr { key: 'value' value { tensor { dtype: DT_UINT8"
    echo "tensor_shape { dim { size: 60 } } tensor_content:"
    echo "'012345678901234567890123456789012345678901234567890123456789' } } } }"
    echo "} }"
} >model.pbtxt
tenon undump model.pbtxt -t tensorflow.SavedModel -o model/saved_model.pb
tenon split model -o chunks -m 40 --format-version 2 --separate-bytes &&
    find chunks -type f | sort
tenon ls chunks
tenon convert -q chunks --to tf-saved-model -o plain && find plain -type f | sort
tenon split -q chunks -o whole && find whole -type f | sort
