# Eight nodes that C++ moves into slices; Python leaves the first where it is.
for i in 1 2 3 4 5 6 7 8; do
    echo "node { name: 'node_$i' op: 'NoOp' input: 'a' input: 'b' }"
done >graph.pbtxt
tenon undump graph.pbtxt -t tensorflow.GraphDef -o graph.pb
for rules in cpp python; do
    tenon split graph.pb -t tensorflow.GraphDef --rules $rules -m 70 -o $rules
    tenon merge -q $rules -t tensorflow.GraphDef -o $rules.out
    tenon dump $rules.out -t tensorflow.GraphDef | grep -c name
done
