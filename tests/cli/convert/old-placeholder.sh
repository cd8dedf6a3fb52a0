# A Placeholder of an old graph that says nothing of its shape: users tell its rank.
graph() { cat <<END
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } } }
node { name: "r" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "y" op: "$2" input: "r" attr { key: "T" value { type: DT_FLOAT } } }
versions { producer: $1 }
END
}
ends() { tenon info "$1" | sed -n '/^Inputs/,/^Outputs/p' | grep x; }
for producer in 21 22; do
    graph $producer Neg >plain.pbtxt
    tenon convert -qf plain.pbtxt -o plain.onnx
    ends plain.onnx
done
graph 21 LRN >image.pbtxt
tenon convert -q image.pbtxt -o image.onnx && ends image.onnx
