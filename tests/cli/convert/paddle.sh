# Any way round gives the same bytes: split, merged, as text, in both layouts.
cp "$root"/tests/corpus/paddle/train.pd* .
tenon convert train.pdmodel.txt -o one.pdmodel
mkdir apart && tenon convert one.pdmodel -o apart/__model__
find apart -type f | sort
mkdir seed && tenon convert -q apart -o seed/__model__ --layout seed
tenon ls seed | cut -f 1,5,6
tenon convert -q seed -o two.pdmodel --layout shipped
cmp one.pdmodel two.pdmodel && cmp train.pdiparams two.pdiparams
mkdir named && tenon convert -q one.pdmodel -o named/net -t paddle -x weights
ls named && tenon ls named/weights | head -n 1 | cut -f 1
tenon convert one.pdmodel -o three.pdmodel --layout other
tenon convert tiny.onnx -o out.onnx --layout seed
# Bare tensors, and back.
tenon convert one.pdmodel -o w.safetensors
tenon convert w.safetensors -o w.pdparams && tenon ls w.pdparams | cut -f 1-3
tenon convert w.pdparams -o w.pdiparams && cmp w.pdiparams train.pdiparams
tenon ls w.pdiparams | cut -f 1-3
