#!/bin/sh
# Rewrites the seeds of the fuzzers of src/wire/fb, with flatc.
set -eu
cd "$(dirname "$0")"
support=../../support
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf fb_json_read_fuzz fb_json_write_fuzz fb_schema_fuzz
mkdir fb_json_read_fuzz fb_json_write_fuzz fb_schema_fuzz

# NAME OBJECT SCHEMA JSON: the text, and with the number of its table in front
# the binary that flatc makes of it.
seed() {
    printf '%s' "$4" >"$work/$1.json"
    flatc --no-warnings -b -o "$work" "$support/$3.fbs" "$work/$1.json"
    { printf "\\$2"; cat "$work/$1.bin"; } >"fb_json_write_fuzz/$1"
    [ "$3" != sample_flat ] || cp "$work/$1.json" "fb_json_read_fuzz/$1"
}

seed empty 000 sample_flat '{}'
seed scalars 000 sample_flat '{"a_bool": true, "a_byte": -1, "a_ushort": 65535,
    "an_int": 7, "a_ulong": 18446744073709551615, "a_float": "nan",
    "a_double": 0.1, "a_colour": "Blue", "some_bits": "One Four",
    "far": "Low", "maybe": 0, "maybe_bool": false}'
seed structs 000 sample_flat '{"point": {"x": 1, "y": 2, "n": 3},
    "deep": {"mark": 1, "points": [{"x": 1, "y": 2, "n": 3},
    {"x": 4, "y": 5, "n": 6}], "marks": [1, 2, 3], "colour": "Red",
    "inner": {"x": 1, "y": 2, "n": 3}}, "wide": {"bytes":
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, -16]}}'
seed tables 000 sample_flat '{"text": "a\u0001\u00e9", "leaf": {"text": "x"},
    "again": {"again": {"a_byte": 1}}, "any_type": "Leaf",
    "any": {"number": 3}, "leaves": [{}, {"number": 8}],
    "needy": [{"name": "b", "id": 2}], "nested": {"text": "inside"}}'
seed vectors 000 sample_flat '{"bools": [true, false], "bytes": [-1, 2],
    "ubytes": [], "shorts": [1], "ints": [1, 2], "longs": [3],
    "ulongs": [4], "floats": [1.5], "doubles": ["-inf"],
    "colours": ["Red", 3], "texts": ["a", ""],
    "points": [{"x": 1, "y": 2, "n": 3}]}'
seed unions 003 sample_flat_any '{"one_type": "Words", "one": "hello",
    "many_type": ["Leaf", "Point", "Words", "Mixed"], "many": [{"text": "q"},
    {"x": 1, "y": 2, "n": 3}, "w", {}]}'
printf '%s' '{"any": {"text": "late"}, "any_type": "Leaf"}' \
    >fb_json_read_fuzz/late

# SCHEMA BINARY: the size of the schema in two bytes, the schema, a buffer.
flatc --no-warnings -b --schema --bfbs-builtins -o "$work" \
    "$support/sample_flat_any.fbs" ../../../schemas/samediff_training.fbs
for name in sample_flat_any samediff_training; do
    size=$(stat -c %s "$work/$name.bfbs")
    low=$(printf '%03o' $((size % 256))) high=$(printf '%03o' $((size / 256)))
    { printf "\\$low\\$high"; cat "$work/$name.bfbs" "$work/tables.bin"; } \
        >"fb_schema_fuzz/$name"
done
