# A part of a graph: what is needed stays.
tenon edit -q tiny.onnx -o part.onnx --inputs seen --outputs votes
tenon ls --ops part.onnx
tenon info part.onnx | sed -n '/^Inputs/,/^Parameters/p'
tenon check part.onnx
tenon edit tiny.onnx -o no.onnx --outputs nothing
echo $?
tenon edit tiny.onnx -o no.onnx --extract nothing
echo $?
ls
