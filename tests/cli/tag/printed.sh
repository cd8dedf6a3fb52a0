# a tag is also found by what 'tag ls' prints, escapes included
tenon undump -q "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o d.fb
odd=$(printf 'a\342\200\256b')
tenon tag add -q c.samediff "$odd" d.fb
tenon tag add -q c.samediff plain d.fb
tenon tag ls c.samediff
for tag in "$odd" 'a\u{202e}b'; do
    tenon info c.samediff --tag "$tag" | head -n 1
    tenon check c.samediff --tag "$tag"
    tenon ls -1 c.samediff --tag "$tag"
    tenon convert -q --force c.samediff -o o.onnx --tag "$tag" && tenon ls -1 o.onnx
    tenon tag export -q --force c.samediff "$tag" -o o.fb && tenon ls -1 o.fb
    tenon tag diff c.samediff "$tag" plain
done
tenon tag rm -q c.samediff 'a\u{202e}c' || echo "exit $?"
tenon tag rm -q c.samediff 'a\u{202e}b'
tenon tag ls c.samediff
# no tag is called as another is printed
tenon tag add -q c.samediff 'a\u{202e}b' d.fb || echo "exit $?"
