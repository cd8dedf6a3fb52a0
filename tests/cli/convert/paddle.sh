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
# A parameter whose file is gone is missed by name.
rm apart/w
tenon convert apart -o four.pdmodel
tensor() { # NAME FLAG
    echo "vars { name: '$1' $2 type { type: LOD_TENSOR lod_tensor { tensor" \
        "{ data_type: FP32 dims: 2 } } } }"
}
{
    echo "blocks { idx: 0 parent_idx: -1"
    tensor x && tensor w "persistable: true" && tensor y
    echo "ops { type: 'elementwise_add' inputs { parameter: 'X'" \
        "arguments: 'x' } inputs { parameter: 'Y' arguments: 'w' }" \
        "outputs { parameter: 'Out' arguments: 'y' } } }"
} >add.pdmodel.txt
tenon convert add.pdmodel.txt -o add.onnx; echo $?; ls add.onnx
