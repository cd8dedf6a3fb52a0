# A name that the manifest has escaped is printed as it stands there.
tenon dump tiny.onnx | sed 's/"flat"/"a\\tb\\\\c"/' >odd.txt
tenon undump odd.txt -o odd.onnx
tenon ls -1 odd.onnx 'a*'
tenon hash odd.onnx 'a*' | cut -c 67-
tenon hash odd.onnx 'a*' >manifest
tenon hash odd.onnx -c manifest -q
tenon hash odd.onnx 'a*' -c manifest
