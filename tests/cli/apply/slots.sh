# PaddlePaddle: slots are part of an operator, and variables say what inputs are.
var() { # NAME DIM
    echo "vars { name: '$1' type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: $2 } } } }"
}
slot() { # inputs|outputs SLOT VALUE...
    printf "%s { parameter: '%s'" "$1" "$2"
    shift 2
    printf " arguments: '%s'" "$@"
    echo " }"
}
program() { # DIM OPS
    echo "blocks { idx: 0 parent_idx: -1"
    echo "vars { name: 'feed' type { type: FEED_MINIBATCH } persistable: true }"
    echo "vars { name: 'fetch' type { type: FETCH_LIST } persistable: true }"
    for name in x y z t; do var $name "$1"; done
    echo "ops { type: 'feed' $(slot inputs X feed) $(slot outputs Out x) attrs { name: 'col' type: INT i: 0 } }"
    echo "ops { type: 'relu' $(slot inputs X x) $(slot outputs Out y) }"
    echo "$2"
    echo "ops { type: 'fetch' $(slot inputs X z) $(slot outputs Out fetch) attrs { name: 'col' type: INT i: 0 } } }"
}
sub="ops { type: 'elementwise_sub' $(slot inputs X x) $(slot inputs Y y) $(slot outputs Out z) }"
program 2 "$sub" >a.pdmodel.txt
program 5 "$sub" >larger.pdmodel.txt
program 2 "ops { type: 'elementwise_sub' $(slot inputs X x y) $(slot outputs Out z) }" >joined.pdmodel.txt
program 2 "ops { type: 'elementwise_mul' $(slot inputs X x) $(slot inputs Y y) $(slot outputs Out t) }
ops { type: 'elementwise_sub' $(slot inputs X t) $(slot inputs Y y) $(slot outputs Out z) }" >longer.pdmodel.txt
program 2 "ops { type: 'relu' $(slot inputs X x) $(slot outputs Out t) }
ops { type: 'elementwise_sub' $(slot inputs X t) $(slot inputs Y y) $(slot outputs Out z) }" >relu.pdmodel.txt
for other in larger joined longer relu; do
    echo "== $other"
    tenon diff -q a.pdmodel.txt $other.pdmodel.txt --patch $other.patch
    sed 1,2d $other.patch
    tenon apply -q a.pdmodel.txt $other.patch -o out.pdmodel.txt -f --force-invalid
    tenon diff out.pdmodel.txt $other.pdmodel.txt && echo same
done
