# A version can come through a pipe, one at a time.
cat tiny.onnx | tenon tag add -q m.samediff first -
tenon tag add -q m.samediff second - <tiny.onnx
tenon tag add m.samediff - <tiny.onnx
cat m.samediff | tenon tag ls - | cut -c 1-8
