# A number for each node becomes a colour.
printf 'node\tms\nlook\t1.5\ndecide\t0.25\nnosuch\t9\n' >ms.tsv
tenon view tiny.onnx -o tsv.svg --data ms.tsv 2>&1
echo '{"label": "ms", "nodes": {"look": 1.5, "decide": 0.25}}' >ms.json
tenon view tiny.onnx -q -o json.svg --data ms.json
cmp tsv.svg json.svg
echo '[["look", 1.5], ["decide", 0.25]]' >list.json
tenon view tiny.onnx -q -o list.svg --data list.json
printf 'look\t1.5\ndecide\t0.25\n' >bare.tsv
tenon view tiny.onnx -q -o bare.svg --data bare.tsv
cmp bare.svg list.svg
grep -c 'rx="6" fill=' tsv.svg
# What colours mean is below the picture.
sed -n 's/.*detail[^>]*>\(ms[^<]*\).*/\1/p' tsv.svg
# Where nodes have no names, those that `ls --ops` prints are understood.
tenon dump tiny.onnx | sed '/^    name: "\(look\|decide\)"/d' >nameless.txt
tenon undump -q nameless.txt -o nameless.onnx
tenon ls --ops -1 nameless.onnx | awk '{ print $0 "\t" NR }' >places.tsv
head -1 places.tsv
tenon view nameless.onnx -o places.svg --data places.tsv 2>&1
# What is wrong with a file of numbers is said with its place.
printf 'look\t1.5\ndecide\tmany\n' >bad.tsv
tenon view tiny.onnx -o x.svg --data bad.tsv
echo $?
echo '{"look": "1.5", "x": [1]}' >bad.json
tenon view tiny.onnx -o x.svg --data bad.json
echo $?
printf 'nosuch\t1\n' >none.tsv
tenon view tiny.onnx -o x.svg --data none.tsv
echo $?
tenon view tiny.onnx -o x.svg --data missing.tsv
echo $?
ls x.svg
