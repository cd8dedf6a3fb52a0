# In a folder of models: a list of them; of others the overview.
cp tiny.onnx 'two words.onnx'
tenon get tiny.onnx filters -o weights.npy
head -c 300 tiny.onnx >damaged.onnx
echo hello >notes.txt
tenon
TERM=dumb script -qec 'stty cols 80; tenon' /dev/null | tr -d '\r'
mkdir empty && cd empty && tenon 2>&1 | head -n 1
