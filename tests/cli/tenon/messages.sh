# Messages name what was asked for, and hints are about the file that is wrong.
ls >list.txt
: >plain
printf 'a: 1\n' | tenon convert - -o out.fb
# a name of several lines is shown on one, as it is written in C
tenon info 'two
lines'
tenon info ''
# ways that are none, and options that would do nothing
tenon convert tiny.onnx -o out.fb --via nothing
tenon convert tiny.onnx -o out.onnx --signature all
tenon convert tiny.onnx -o out.safetensors --opset 13
tenon convert -q tiny.onnx -o weights.safetensors
tenon simplify weights.safetensors -o less.safetensors
tenon tag nothing
tenon get
# the hint is not about the model, which is right
tenon edit tiny.onnx -o out.onnx --put flat=list.txt
tenon edit tiny.onnx -o out.onnx --rename-tensor one-word
# records are neither graphs nor tensors
zeros() { head -c "$1" /dev/zero; }
{ printf '\203\257\160\321\015\210\112\077'; zeros 8; printf '\100'; zeros 7; printf '\221\272\302\074\222\207\341\251'; zeros 8; printf '\341\237\023\300\351\261\303\162\163'; zeros 15; } >none.riegeli
tenon convert none.riegeli -o out.onnx
ls
