# Escape sequences, line ends and broken UTF-8 reach neither terminal nor rows.
sed 's/"filters"/"\\033[2J\\nfil\\tters\\377\\\\"/' \
    "$root/examples/tiny.onnx.textproto" | tenon undump - -o hostile.onnx
tenon ls hostile.onnx '*fil*ters*'
tenon ls --layout table -1 hostile.onnx '*fil?ters*'
tenon ls --json hostile.onnx '*fil*ters*' | grep name
