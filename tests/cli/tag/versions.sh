# versions share what did not change; the newest is the default
tenon undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o dense.fb
tenon tag add m.samediff step-1 dense.fb
tenon tag add m.samediff step-2 dense.fb
tenon tag ls m.samediff
tenon tag log m.samediff
tenon tag diff m.samediff step-1 step-2 && echo same
tenon tag ls --json m.samediff | tail -n +3
tenon tag rm m.samediff STEP-1
tenon tag compact m.samediff
tenon tag log m.samediff
unzip -p m.samediff tags.txt step-2/params.txt step-2/updater.txt
