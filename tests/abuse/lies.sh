# lies.sh - small files that claim to be large, deep or many
#
# With 64 MiB to spend: what a claim costs must not follow what it claims.
# Sanitizers need address space, so the limit is the command's own.
limit="--max-mem 64MiB"

every_verb() {
    for verb in info ls check hash; do
        survives tenon $verb $limit "$1"
    done
    survives tenon dump $limit "$1" -o -
}

claim "an initializer of 2^62 elements and no data"
make huge.onnx "onnx(part(5, number(1, 1 << 62) + number(2, 1) + part(8, 'w')))"
every_verb huge.onnx
exits 1 tenon check huge.onnx

claim "dimensions whose product wraps to a small number"
make wraps.onnx "onnx(part(5, number(1, 1 << 32) + number(1, 1 << 32) +
    number(1, 4) + number(2, 2) + part(8, 'w') + part(9, b'abcd')))"
every_verb wraps.onnx
exits 1 tenon check wraps.onnx

claim "negative dimensions"
make minus.onnx "onnx(part(5, number(1, -1) + number(1, -4) + number(2, 2) +
    part(8, 'w') + part(9, b'abcd')))"
every_verb minus.onnx
exits 1 tenon check minus.onnx
says negative-dimension

claim "a constant of a terabyte out of one value"
cat >splat.pbtxt <<'END'
node { name: "c" op: "Const"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT
    tensor_shape { dim { size: 262144 } dim { size: 1048576 } }
    float_val: 1 } } } }
END
accepts tenon undump splat.pbtxt -o splat.pb
accepts tenon info $limit splat.pb
accepts tenon ls $limit splat.pb
survives tenon check $limit splat.pb
accepts tenon get $limit splat.pb c --slice 7,9 --text
says 1

claim "zeros out of nothing are told"
sed '/float_val/s/float_val: 1//' splat.pbtxt >zeros.pbtxt
exits 1 tenon check zeros.pbtxt
says huge-constant

claim "a hundred thousand dimensions"
make rank.onnx "onnx(part(5, number(1, 1) * 100000 + number(2, 2) +
    part(8, 'w') + part(9, b'a')))"
every_verb rank.onnx
make rank.pb "node('c', 'Const', part(5, part(1, 'value') + part(2, part(8,
    number(1, 4) + part(2, part(2, number(1, 1)) * 100000)))))"
every_verb rank.pb

claim "graphs nested ten thousand deep"
make nested.onnx "onnx(nest(10000, lambda g: part(1, part(4, 'If') +
    part(5, part(1, 'b') + number(20, 5) + part(6, g)))))"
every_verb nested.onnx
exits 4 tenon info nested.onnx

claim "types nested ten thousand deep"
make types.onnx "onnx(part(11, part(1, 'x') +
    part(2, nest(10000, lambda t: part(4, part(1, t))))))"
every_verb types.onnx

claim "unknown groups nested ten thousand deep"
make groups.onnx "onnx(varint(99 << 3 | 3) * 10000 + varint(99 << 3 | 4) * 10000)"
every_verb groups.onnx
refuses tenon info groups.onnx

claim "attributes of functions nested ten thousand deep"
make funcs.pb "node('c', 'If', part(5, part(1, 'f') + part(2, nest(5000,
    lambda v: part(10, part(1, 'f') + part(2, part(1, 'k') + part(2, v)))))))"
every_verb funcs.pb

claim "a length of 2^63 in every place where a length stands"
for place in 0a 12 1a 2a 3a 42 4a; do
    make length.onnx "onnx(bytes.fromhex('$place' + '80' * 9 + '01'))"
    refuses tenon info length.onnx
    exits 1 tenon check length.onnx
done

claim "unknown numbers of enums and types"
make enums.onnx "onnx(part(5, number(1, 1) + number(2, 4242) + part(8, 'w') +
    part(9, b'a') + number(14, 77)))"
every_verb enums.onnx
exits 1 tenon check enums.onnx
says unknown-enum
exits 5 tenon hash enums.onnx
says "an unknown type"

claim "every prefix of a model is survived, and none is called whole"
size=$(wc -c <tiny.onnx)
i=1
while [ $i -lt "$size" ]; do
    head -c $i tiny.onnx >cut.onnx
    survives tenon check --skip-data cut.onnx
    [ "$code" -ne 0 ] || fail "$i bytes are called whole"
    i=$((i + 23))
done

claim "what no reader takes is not written either"
shape() {
    make $1.onnx "onnx(part(1, part(1, 'w') + part(2, 'y') + part(4, 'Neg')) +
        part(5, $2 + number(2, 1) + part(8, 'w') + part(9, $3)) +
        part(12, part(1, 'y') + part(2, part(1, number(1, 1)))))"
}
shape most "number(1, 1) * 33" "bytes(4)"
shape more "number(1, 1) * 65" "bytes(4)"
shape void "number(1, 2 ** 63 - 1) * 2 + number(1, 0)" "b''"
for model in most more void; do
    for to in fb samediff sdnb sdz safetensors pdparams npz pdiparams; do
        survives tenon convert $model.onnx -o written.$to -f --force-invalid
        [ $code -ne 0 ] || accepts tenon info written.$to
    done
done
exits 11 tenon convert most.onnx -o never.fb --force-invalid
says "more dimensions than nd4j"
make empty.pb "number(1, 1) + part(2, part(1, part(4, 't')) + part(2, b''))"
exits 11 tenon convert empty.pb --from tf-saved-model --to tf-graph -o never.pb
says "the graph is empty"
holds [ ! -e never.pb ]

claim "a payload that contradicts its type and shape is refused by every verb alike"
accepts python3 "$here/support/payloads.py"
