# mappings that others wrote are checked as well, and told from rules by what is in them
echo 'ceil { onnx_mapping { input_mappings { x: "X" } output_mappings { z: "Y" } } }' >fine.pbtxt
tenon rules check fine.pbtxt
echo 'conv2d { tensorflow_mapping { input_mappings { input: "input" weights: "filter" } } }' >drops.pbtxt
tenon rules check drops.pbtxt
echo $?
tenon rules check --json drops.pbtxt
echo 'ceil { onnx_mapping { input_mappings { x: "nowhere" } } }' >broken.pbtxt
tenon rules check broken.pbtxt
echo $?
# a file of rules, whatever it is called
printf 'rules onnx -> nd4j 1\nignore inPlace dtype dataType\nCeil(X) => ceil(X)\n' >rules.txt
tenon rules check rules.txt
