# One long name sticks out; the columns of the others stay.
tenon dump tiny.onnx |
    sed "s/\"compete\"/\"$(printf 'x%.0s' $(seq 70))\"/" >wide.txt
tenon undump wide.txt -o wide.onnx
tenon ls --layout table wide.onnx
