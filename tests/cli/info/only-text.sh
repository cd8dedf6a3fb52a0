# Texts are no parameters.
echo 'dims: 2 data_type: 8 string_data: "one" string_data: "two" name: "words"' >words.pbtxt
tenon undump words.pbtxt -t onnx.TensorProto -o words.pb
tenon info words.pb
