# a tag that is there needs --force, whatever its case
tenon undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o dense.fb
tenon tag add -q m.samediff a dense.fb
tenon tag add m.samediff A dense.fb; echo $?
tenon tag add --force m.samediff A dense.fb
tenon tag ls m.samediff
tenon tag rm m.samediff a; echo $?
tenon tag rm m.samediff b; echo $?
tenon tag add m.samediff nul dense.fb; echo $?
# another dialect becomes nd4j first
tenon tag add m.samediff x tiny.onnx; echo $?; tenon tag ls m.samediff
