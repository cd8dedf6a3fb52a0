# Built anew: names, attributes, outputs, weights; what cannot be is said.
cp "$root/tests/corpus/fuzz/tfl_fuzz/add" a.tflite
tenon edit a.tflite --rename x=input --set-attr 'subgraphs[0].operators[0] fused_activation_function=TANH' --doc "a model" -o b.tflite --patch-out undo
tenon info b.tflite
tenon check b.tflite
tenon diff a.tflite b.tflite
tenon apply b.tflite undo -o c.tflite
tenon diff a.tflite c.tflite
tenon edit a.tflite --set-attr 'subgraphs[0].operators[0] fused_activation_function=NONSENSE' -o d.tflite
tenon edit a.tflite --set-op 'subgraphs[0].operators[0] Nonsense' -o d.tflite
tenon edit a.tflite --rename-node "subgraphs[0].operators[0]=sum" -o d.tflite
tenon edit a.tflite --rename-nodes "*=n*" -o d.tflite
cp "$root/tests/corpus/fuzz/tfl_fuzz/outside" o.tflite
tenon edit o.tflite --doc "data stay after the FlatBuffer" -o p.tflite
tenon ls p.tflite
tenon diff o.tflite p.tflite
