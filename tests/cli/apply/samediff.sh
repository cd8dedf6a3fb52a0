# Other inputs and outputs of a SameDiff graph are actions, there and back.
tenon convert -q tiny.onnx -o tiny.fb
tenon edit -q tiny.fb -o cut.fb --outputs strongest --set-dim 'image[0]=4'
tenon diff -q --stat tiny.fb cut.fb --patch cut.patch
sed 1,2d cut.patch
tenon apply -q tiny.fb cut.patch -o out.fb && cmp out.fb cut.fb && echo same
tenon diff -q --stat cut.fb tiny.fb --patch back.patch >/dev/null
grep -c '^take ' back.patch
tenon apply -q cut.fb back.patch -o back.fb && tenon diff back.fb tiny.fb && echo same
