TERM=xterm tenon info tiny.onnx | od -c | grep -c 033
TERM=xterm tenon check tiny.onnx | od -c | grep -c 033
exit 0
