# A fingerprint of other files, or of the same in another container.
mkdir model other
text='saved_model_schema_version: 1 meta_graphs { graph_def {'
echo "$text node { name: 'a' op: 'NoOp' } } }" >a.pbtxt
echo "$text node { name: 'b' op: 'NoOp' } } }" >b.pbtxt
tenon undump a.pbtxt -t tensorflow.SavedModel -o model/saved_model.pb
echo 'version { producer: 2 }' >print.pbtxt
tenon undump print.pbtxt -t tensorflow.FingerprintDef -o model/fingerprint.pb
tenon check model

# written anew, it is true; of another model it is not
cp a.pbtxt other/saved_model.pbtxt
cp model/fingerprint.pb other
tenon convert -q other -o right && tenon check right
tenon undump -f b.pbtxt -t tensorflow.SavedModel -o right/saved_model.pb
tenon check right
tenon check right --skip-data

echo stale >right/fingerprint.pb
tenon check right
echo 'version { producer: 3 }' >print.pbtxt
tenon undump -f print.pbtxt -t tensorflow.FingerprintDef -o right/fingerprint.pb
tenon check right
