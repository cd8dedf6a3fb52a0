# A manifest that says nothing proves nothing.
: >empty
tenon hash tiny.onnx -c empty
echo $?
echo '# made by nobody' >comment
tenon hash tiny.onnx -c comment
echo $?
tenon hash tiny.onnx >manifest
tenon hash tiny.onnx nosuch -c manifest
echo $?
