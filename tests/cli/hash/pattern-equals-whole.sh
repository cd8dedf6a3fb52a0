tenon hash tiny.onnx >all
tenon hash tiny.onnx 'f*' | while read -r line; do grep -cF "$line" all; done
