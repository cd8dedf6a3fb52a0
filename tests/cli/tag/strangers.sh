# Tensors that are no variables are told; a tag that is not there is answered
# with those that are.
tenon undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o dense.fb
tenon convert -q dense.fb -o dense.npz
/usr/bin/python3 -c "import numpy
arrays = dict(numpy.load('dense.npz'))
numpy.savez('more.npz', **arrays, value=numpy.zeros(2, 'f4'))
numpy.savez('other.npz', value=numpy.zeros(2, 'f4'))"
tenon tag add -q d.samediff one dense.fb
tenon tag add d.samediff two more.npz | cut -d ' ' -f 1-3
tenon tag add d.samediff three other.npz
echo "$?"
tenon info --tag none d.samediff
echo "$?"
tenon tag rm d.samediff none
echo "$?"
