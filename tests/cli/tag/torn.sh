# a commit that was cut short: the state before it opens, check says so and mends
tenon undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o dense.fb
tenon tag add -q m.samediff a dense.fb
cp m.samediff old.samediff
tenon tag add -q m.samediff b dense.fb
head -c -30 m.samediff >t && cp t m.samediff
tenon tag ls m.samediff
tenon check m.samediff; echo $?
tenon check --repair m.samediff; echo $?
cmp m.samediff old.samediff && echo the same
tenon check --repair dense.fb; echo $?
tenon info tiny.onnx >/dev/null
tenon check --repair tiny.onnx; echo $?
