# Two models end to end.
tenon edit -q tiny.onnx -o a.onnx --outputs strongest
tenon edit -q tiny.onnx -o b.onnx --inputs strongest
tenon edit -q a.onnx -o ab.onnx --append b.onnx
tenon ls --ops ab.onnx | cut -f1-5
tenon check ab.onnx
tenon edit -q a.onnx -o ab2.onnx --append-as 'second/ b.onnx strongest=strongest'
tenon ls --ops ab2.onnx | cut -f1-5
tenon ls ab2.onnx | cut -f1-3
tenon check ab2.onnx
# The names of both.
tenon edit -q b.onnx -o c.onnx --set-dim 'strongest[0]=n'
tenon edit -q a.onnx -o d.onnx --append a.onnx
echo $?
tenon edit tiny.onnx -o no.onnx --append tiny.onnx
echo $?
tenon edit tiny.onnx -o no.onnx --append 'tiny.onnx probabilities=picture'
echo $?
tenon edit -q b.onnx -o old.onnx --opset 13
tenon edit a.onnx -o no.onnx --append old.onnx
echo $?
tenon edit a.onnx -o no.onnx --append missing.onnx
echo $?
ls
