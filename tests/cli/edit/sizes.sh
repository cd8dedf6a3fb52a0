# Another number of rows, with everything that follows.
tenon edit -q tiny.onnx -o eight.onnx --batch 8
tenon info eight.onnx | sed -n '/^Inputs/,/^Parameters/p'
tenon check eight.onnx
tenon edit -q tiny.onnx -o open.onnx --dynamic 'image[0]=n' --set-dim n=3
tenon info open.onnx | sed -n '/^Inputs/,/^Parameters/p'
# What cannot be done is refused, by the name of the node.
tenon edit tiny.onnx -o no.onnx --set-dim 'image[1]=2'
echo $?
tenon edit tiny.onnx -o no.onnx --set-dim 'image=2'
echo $?
tenon edit tiny.onnx -o no.onnx --set-dim 'image[9]=2'
echo $?
tenon edit tiny.onnx -o no.onnx --batch 0
echo $?
tenon edit tiny.onnx -o no.onnx --dynamic 'image[0]=7'
echo $?
tenon edit -q --json tiny.onnx -n -o no.onnx --batch 2
ls
