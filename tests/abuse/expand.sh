# expand.sh - small files that stand for very many bytes
#
# What is made of a file is bounded: 1 GiB and 1024 bytes for each of its own,
# or what --max-expand says.  Nothing may come near to a disk or an hour.
seconds=20

refuses_to_expand() {
    exits 4 "$@"
    says "--max-expand allows more"
    holds test ! -e made
}

# NAME DTYPE VALUE DIM... - a node whose one value fills the shape
constant() {
    name=$1 type=$2 value=$3
    shift 3
    echo "node { name: '$name' op: 'Const'
      attr { key: 'dtype' value { type: $type } }
      attr { key: 'value' value { tensor { dtype: $type $value
        tensor_shape {"
    for dim; do echo "dim { size: $dim }"; done
    echo "} } } } }"
}

claim "a size of 2^64 - 1 is a size like any other"
make minus.onnx "onnx(part(5, number(1, -1) + number(2, 2) + part(8, 'w') +
    part(5, b'')))"
make product.onnx "onnx(part(5, number(1, 4294967295) + number(1, 4294967297) +
    number(2, 2) + part(8, 'w') + part(5, b'')))"
make raw.onnx "onnx(part(5, number(1, -1) + number(2, 2) + part(8, 'w') +
    part(9, b'abcd')))"
make external.onnx "onnx(part(5, number(1, -1) + number(2, 2) + part(8, 'w') +
    part(13, part(1, 'location') + part(2, 'raw.onnx')) + number(14, 1)))"
for model in minus product raw external; do
    exits 3 tenon hash $model.onnx
    says "malformed at byte"
    for form in "--raw" "--npy" "--text"; do
        exits 3 tenon get $model.onnx w $form -o made
        says "malformed at byte"
        holds test ! -e made
    done
    exits 3 tenon convert $model.onnx --external made --threshold 1 -o made.onnx
    refuses tenon convert $model.onnx -o made.safetensors
    exits 1 tenon check $model.onnx
done

claim "a constant of terabytes is refused by every verb that makes its elements"
constant c DT_FLOAT "float_val: 1" 1048576 8388608 >huge.pbtxt
accepts tenon undump huge.pbtxt -o huge.pb
constant c DT_FLOAT "" 1048576 8388608 >zeros.pbtxt
constant c DT_BOOL "bool_val: true" 1048576 33554432 >bools.pbtxt
for model in huge.pb zeros.pbtxt bools.pbtxt; do
    refuses_to_expand tenon hash $model
    refuses_to_expand tenon ls --stats $model
    for form in "--raw" "--npy" "--text"; do
        refuses_to_expand tenon get $model c $form -o made
        refuses_to_expand tenon get $model c $form -o made --dry-run
    done
    for format in npz safetensors paddle-state tf-checkpoint onnx samediff sdnb sdz; do
        refuses tenon convert $model --to $format -o made
        holds test ! -e made
    done
    refuses_to_expand tenon convert $model --to npz -o made
    refuses_to_expand tenon convert $model --to paddle-state -o made
    refuses_to_expand tenon tag add made new $model
done
refuses_to_expand tenon convert huge.pb --to samediff -o made --receipt receipt
holds test ! -e receipt
accepts tenon get huge.pb c --slice 7,9 --text

claim "what is kept as it is stored does not expand"
accepts tenon convert huge.pb -o copy.pbtxt
accepts tenon dump huge.pb -o dumped
accepts tenon split huge.pb -o split
accepts tenon strip --callstack huge.pb -o stripped.pb
accepts tenon check huge.pb
accepts tenon info huge.pb
accepts tenon ls huge.pb

claim "many constants of less than the limit each"
for i in 0 1 2 3 4 5 6 7 8 9; do
    constant c$i DT_FLOAT "float_val: $i" 16384 4096
done >many.pbtxt
refuses_to_expand tenon hash many.pbtxt
refuses_to_expand tenon convert many.pbtxt --to npz -o made
refuses_to_expand tenon convert many.pbtxt --to samediff -o made

claim "strings that are repeated"
constant s DT_STRING "string_val: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'" \
    1048576 1048576 >strings.pbtxt
constant s DT_STRING "" 1048576 1048576 >empty.pbtxt
for model in strings.pbtxt empty.pbtxt; do
    refuses_to_expand tenon hash $model
    refuses_to_expand tenon ls --stats $model
    refuses_to_expand tenon get $model s --text -o made
    refuses_to_expand tenon get $model s --npy -o made
    refuses_to_expand tenon convert $model --to npz -o made
done
constant s DT_STRING "string_val: '$(head -c 4000 /dev/zero | tr '\0' a)'" \
    1000 >long.pbtxt
refuses_to_expand tenon hash --max-expand 2M long.pbtxt
refuses_to_expand tenon get --max-expand 2M long.pbtxt s --npy -o made
accepts tenon hash --max-expand 4M long.pbtxt

claim "--max-expand sets the limit, both ways"
constant c DT_FLOAT "float_val: 1" 1024 >small.pbtxt
refuses_to_expand tenon hash --max-expand 4095 small.pbtxt
says "expands to 4096 bytes or more, 4095 are allowed"
accepts tenon hash --max-expand 4096 small.pbtxt
refuses_to_expand tenon get --max-expand 4095 small.pbtxt c --raw -o made
accepts tenon get --max-expand 4096 small.pbtxt c --raw -o raw
holds test "$(wc -c <raw)" -eq 4096
refuses_to_expand tenon convert --max-expand 4095 small.pbtxt --to npz -o made
accepts tenon convert --max-expand 8192 small.pbtxt -o small.npz
constant c DT_FLOAT "" 16384 32768 >two.pbtxt
refuses_to_expand tenon get two.pbtxt c --raw --max-expand 1GiB -o made
accepts tenon get two.pbtxt c --raw --max-expand 2GiB -o two.raw
rm -f two.raw

claim "packed data"
python3 - <<'END'
import io, zipfile
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (1048576,), }"
head = head.ljust(117) + "\n"
member = b"\x93NUMPY\x01\x00v\x00" + head.encode() + bytes(4 << 20)
with zipfile.ZipFile("packed.npz", "w", zipfile.ZIP_DEFLATED) as archive:
    for i in range(4):
        archive.writestr("w%d.npy" % i, member)
END
for verb in info ls check hash; do
    refuses_to_expand tenon $verb --max-expand 8M packed.npz
    accepts tenon $verb --max-expand 17M packed.npz
    accepts tenon $verb packed.npz
done
accepts tenon convert packed.npz -o plain.pdparams
make message.onnx "onnx(part(5, number(1, 1 << 20) + number(2, 1) +
    part(8, 'w') + part(9, bytes(4 << 20))))"
accepts tenon split message.onnx -o chunks --max-size 1M --compress zstd
holds test "$(wc -c <chunks.cpb)" -lt 65536
for verb in info ls check hash; do
    refuses_to_expand tenon $verb --max-expand 1M chunks.cpb
    accepts tenon $verb --max-expand 5M chunks.cpb
done
refuses_to_expand tenon merge --max-expand 1M chunks.cpb -o made
refuses_to_expand tenon dump --max-expand 1M chunks.cpb -o made
refuses_to_expand tenon info --max-expand 1M --from riegeli chunks.cpb
accepts tenon merge chunks.cpb -o merged.onnx
holds cmp message.onnx merged.onnx

claim "holes of a file are bytes of it"
python3 - <<'END'
head = b'{"w":{"dtype":"F32","shape":[786432,1024],"data_offsets":[0,3221225472]}}'
head += b" " * (-len(head) % 8)
with open("holes.safetensors", "wb") as f:
    f.write(len(head).to_bytes(8, "little") + head)
    f.truncate(8 + len(head) + 3221225472)
END
accepts tenon convert holes.safetensors -o copy.safetensors
holds test "$(wc -c <copy.safetensors)" -eq "$(wc -c <holes.safetensors)"
rm -f holes.safetensors copy.safetensors
