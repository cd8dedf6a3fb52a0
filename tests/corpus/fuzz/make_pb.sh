#!/usr/bin/env bash
# Makes the seeds of the protobuf fuzzers again, with protoc, from the small
# schemas in tests/corpus/pb and from texts below.
set -eu -o pipefail

here=$(cd "$(dirname "$0")" && pwd)
protos=$here/../pb
schemas=$here/../../../schemas
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$here"/pb_{wire,schema,message}_fuzz

compile() { # NAME: $work/NAME.desc
    protoc -I "$protos" -I "$schemas" --include_imports \
        --descriptor_set_out="$work/$1.desc" "$1.proto"
}

encode() { # SET TYPE, text on standard input
    protoc --descriptor_set_in="$work/$1.desc" --encode="$2"
}

bytes() { # decimal numbers as bytes
    local byte
    for byte; do
        # shellcheck disable=SC2059 # the format is the byte
        printf "\\x$(printf %02x "$byte")"
    done
}

for set in shared old new descriptors onnx tensorflow; do
    compile $set
done

# ---- schemas: those of the tests, and one that maps to itself ---------------
for set in shared old new; do
    cp "$work/$set.desc" "$here/pb_schema_fuzz/$set.desc"
done
encode descriptors descriptors.Set >"$here/pb_schema_fuzz/relative.desc" <<'TEXT'
file { name: 'a' package: 'p' message_type { name: 'M'
  field { name: 'm' number: 1 type_name: 'M' }
  field { name: 'e' number: 2 type_name: 'M.E' default_value: 'W' }
  field { name: 'o' number: 3 type: 5 oneof_index: 0 proto3_optional: true }
  oneof_decl { name: '_o' } extension_range { start: 9 end: 536870912 }
  extension { name: 'x' extendee: '.p.M' number: 10 label: 3 type: 1 }
  enum_type { name: 'E' value { name: 'V' } value { name: 'W' }
    options { allow_alias: true } } } }
TEXT
echo "file { message_type { name: 'M' field { name: 'f' number: 1 type: 10 } } }" |
    encode descriptors descriptors.Set >"$here/pb_schema_fuzz/nameless-type.desc"
echo "file { message_type { name: 'M' } }" |
    encode descriptors descriptors.Set >"$here/pb_schema_fuzz/no-fields.desc"

# ---- messages with their schema in front ------------------------------------
own() { # NAME SET TYPE, text on standard input: which, size, set, message
    local size
    size=$(stat -c %s "$work/$2.desc")
    {
        bytes 2 $((size % 256)) $((size / 256))
        cat "$work/$2.desc"
        encode "$2" "$3"
    } >"$here/pb_message_fuzz/$1"
}

own old-everything old old.Everything <<'TEXT'
f_double: -2.5 f_int32: -5 f_string: 'text' Pair { left: 1 right { a: 2 } }
f_message { a: 1 names: 'x' inner { inner { a: 3 } } } f_enum: MINUS
r_int32: [1, 300] r_packed: [4, -5] Many { text: 'a' } Many {}
r_enum: ONE r_enum_packed: [ONE, FAR] r_fixed: 7 r_double: 0.5
c_message { a: 9 } m_text { key: 'k' value: 1 } m_text { key: 'l' }
m_message { key: -1 value { a: 1 } } m_enum { key: true value: ONE }
[old.x_int]: 100 [old.x_message] { a: 101 } [old.Scope.x_text]: 'ext'
TEXT
own new-everything new new.Everything <<'TEXT'
f_double: -0.0 f_int32: -5 f_string: 'text' f_message { a: 1 list: [1, 2] }
r_int32: [1, 300] r_unpacked: [4, -5] r_enum: [TWO, 5] r_float: [0.5, 1]
o_int: 0 o_string: '' c_string: 'c' m_message { key: 'k' value { b: 0 } }
m_int { key: 5 value: 'v' } m_zigzag { key: -1 value: 1 } m_bool { key: true }
m_enum { key: 7 value: TWO } far: 1
TEXT

{
    bytes 0
    encode onnx onnx.ModelProto <<'TEXT'
ir_version: 8 opset_import { version: 17 } graph { name: 'g'
  node { input: 'x' output: 'y' op_type: 'Relu' attribute { name: 'a' f: 1.5
    type: FLOAT } }
  initializer { dims: [2, 1] data_type: 1 name: 'w' float_data: [1, 2] }
  input { name: 'x' type { tensor_type { elem_type: 1 shape {
    dim { dim_value: 1 } dim { dim_param: 'n' } } } } } }
TEXT
} >"$here/pb_message_fuzz/onnx"
{
    bytes 1
    encode tensorflow tensorflow.GraphDef <<'TEXT'
node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } }
  attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {
    dim { size: 2 } } float_val: [1, 2] } } } }
node { name: 'i' op: 'Identity' input: 'c' input: '^c' }
versions { producer: 1205 }
TEXT
} >"$here/pb_message_fuzz/tensorflow"
# Out of order and merged: the graph twice, and a group of unknown fields.
{
    cat "$here/pb_message_fuzz/tensorflow"
    tail -c +2 "$here/pb_message_fuzz/tensorflow"
    bytes 0xcb 0x06 0x08 0x81 0x00 0xcc 0x06
} >"$here/pb_message_fuzz/twice"

# ---- bytes alone ------------------------------------------------------------
tail -c +2 "$here/pb_message_fuzz/onnx" >"$here/pb_wire_fuzz/onnx"
bytes 0x0b 0x12 0x03 0x61 0x62 0x63 0x19 1 2 3 4 5 6 7 8 0x25 1 2 3 4 \
    0x23 0x24 0x0c >"$here/pb_wire_fuzz/groups"
bytes 0x08 0xff 0xff 0xff 0xff 0xff 0xff 0xff 0xff 0xff 1 0x0a 0xff 0xff 0xff \
    0xff 0xff 0xff 0xff 0xff 0xff 1 >"$here/pb_wire_fuzz/lengths"
bytes 0x0a 3 1 0xac 2 8 5 0x0a 8 1 0 0 0 2 0 0 0 >"$here/pb_wire_fuzz/packed"
