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
program 2 "ops { type: 'conv2d' $(slot inputs X x y) $(slot outputs Out t) }
ops { type: 'elementwise_sub' $(slot inputs X t) $(slot inputs Y y) $(slot outputs Out z) }" >unusual.pdmodel.txt
for other in larger joined longer relu unusual; do
    echo "== $other"
    tenon diff -q a.pdmodel.txt $other.pdmodel.txt --patch $other.patch
    sed 1,2d $other.patch
    tenon apply -q a.pdmodel.txt $other.patch -o out.pdmodel.txt -f --force-invalid
    tenon diff out.pdmodel.txt $other.pdmodel.txt && echo same
done
# The same in PIR.
for one in a longer relu; do tenon convert -q $one.pdmodel.txt -o pir_$one.json --to paddle-pir; done
for other in longer relu; do
    tenon diff -q pir_a.json pir_$other.json --patch pir.patch -f >/dev/null
    grep -c '^take' pir.patch
    tenon apply -q pir_a.json pir.patch -o pir_out.json -f --force-invalid
    tenon diff pir_out.json pir_$other.json && echo same
done
# In PIR, a program has the version of all of them: nothing is left behind.
tenon convert -q a.pdmodel.txt -o a.json --to paddle-pir
tenon edit a.json -o b.json --set-attr "@1 added=int 7"
tenon info b.json | grep version
# An operator that an edit adds has the slots that such an operator must have.
tenon edit -q a.pdmodel.txt -o more.pdmodel.txt --add-op '"" elementwise_mul @2 x y -> t' --add-op '"" conv2d @2 x y -> z' \
    --add-op '"" concat @2 x y t -> z' --add-op '"" unheard_of @2 x y -> z y' --force-invalid
tr -d ' \n' <more.pdmodel.txt | sed 's/ops{/\n/g' | grep -o '.*type:"\(elementwise_mul\|conv2d\|concat\|unheard_of\)"'
