# arguments have names: pairs of lists that go along with a version, and match
tenon undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o dense.fb
tenon tag add -q plain.samediff a dense.fb
unzip -q -d entries plain.samediff; mv entries/a/graph.fb graph.fb
tenon dump graph.fb -t sd.tagged.Graph -o graph.json
pack() { # FOLDER TAG FILE: a container of what is in the folder
    /usr/bin/python3 -c "import glob, sys, zipfile
folder, tag, file = sys.argv[1:]
with zipfile.ZipFile(file, 'w') as to:
    for name in 'tags.txt', *sorted(glob.glob(tag + '/**', root_dir=folder, recursive=True)):
        if not name.endswith('/') and '.' in name: to.write(folder + '/' + name, name)" "$@"
}
named() { # ARGUMENTS: plain.samediff with those of an operation that nobody knows, as named.samediff
    sed "s|\"opName\": .*|\"opName\": \"mystery\",|; s|\"opNum\": .*|\"opNum\": 1,|; s|\"outputTypes\"|$1, \"outputTypes\"|" graph.json >named.json
    tenon undump -qf named.json -t sd.tagged.Graph -o entries/a/graph.fb
    pack entries a named.samediff
}
named '"iArgNames": ["transA", "transB"], "iArgs": [1, 0], "tArgNames": ["alpha"], "tArgs": [0.5], "bArgNames": ["", "keep"], "bArgs": [true, false], "dArgNames": ["out"], "dArgs": ["INT64"]'
tenon check named.samediff
tenon tag add m.samediff one named.samediff
tenon tag add m.samediff two named.samediff
unzip -p m.samediff two/graph.fb >two.fb; tenon dump two.fb -t sd.tagged.Graph | tr -d ' \n' | grep -o '"[itbd]ArgNames".*"outputTypes"'
tenon tag export m.samediff two -o again.samediff
unzip -p again.samediff two/graph.fb | cmp - two.fb && echo same graph
tenon tag export m.samediff one -o one.fb
tenon dump one.fb -t sd.graph.FlatGraph | tr -d " \n" | grep -o "\"extra[A-Z][a-z]*\":[^]]*"
for wrong in '"iArgNames": ["a"], "iArgs": [1, 2]' '"iArgNames": ["a"]' '"tArgNames": ["a", "b", "a"], "tArgs": [1, 2, 3]'; do
    named "$wrong"
    tenon info named.samediff; echo $?
    tenon check named.samediff; echo $?
done
# Written by somebody who has no names: values go by place.
tenon convert -q tiny.onnx -o tiny.samediff
unzip -q -d tiny tiny.samediff; tenon dump tiny/main/graph.fb -t sd.tagged.Graph -o tiny.json
/usr/bin/python3 -c "import json
graph = json.load(open('tiny.json'))
dropped = [op.pop(key) for op in graph['operations'] for key in list(op) if key.endswith('ArgNames')]
print(len(dropped), 'lists of names dropped')
json.dump(graph, open('tiny.json', 'w'))"
tenon undump -qf tiny.json -t sd.tagged.Graph -o tiny/main/graph.fb; pack tiny main nameless.samediff
tenon check nameless.samediff
tenon ls nameless.samediff --ops --long | head -n 1
for file in tiny nameless; do tenon convert -q $file.samediff -o $file-back.onnx; done
cmp tiny-back.onnx nameless-back.onnx && echo same model
