# a container through a pipe is the same bytes; what info knows of its training
tenon undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o dense.fb
tenon convert -q dense.fb -o a.samediff
tenon convert -q dense.fb --to samediff -o - | cat >b.samediff; cmp a.samediff b.samediff && echo same
cat a.samediff | tenon tag ls -
cat a.samediff | tenon check -
tenon info a.samediff | grep -e updater -e learning -e state -e epochs
unzip -Z1 a.samediff
