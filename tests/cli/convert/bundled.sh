# files beside a model in an SDZ go along, or it is said that they stay
tenon undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o dense.fb
tenon convert -q dense.fb -o d.sdz
/usr/bin/python3 -c "import zipfile
zip = zipfile.ZipFile('d.sdz', 'a', zipfile.ZIP_DEFLATED)
zip.writestr('tokenizer.json', '{ \"a\": 1 }' * 9 + '\n')
zip.writestr('model.sdnb', 'not a model')"
tenon info d.sdz | grep bundled
tenon convert d.sdz -o parts.sdz --shard-size 16
unzip -Z1 parts.sdz; unzip -p parts.sdz tokenizer.json
tenon convert d.sdz -o d.sdnb
tenon convert d.sdz -o d.fb
tenon tag add d.samediff a d.sdz
tenon tag add -q d.samediff b dense.fb
tenon convert d.samediff -o d.npz
tenon convert d.samediff -o again.sdnb
tenon tag export d.samediff a -o one.sdnb
