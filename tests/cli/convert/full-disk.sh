# The message names the file that was asked for, not the one it is written as.
ulimit -f 1
tenon convert tiny.onnx -o out.samediff
code=$?
ls -A
exit $code
