#!/usr/bin/env bash
# Judges text and JSON of protobuf messages with protoc and python3-protobuf.
#
#   protoc_text.sh CONVERT         every 36th file of the large sets
#   protoc_text.sh CONVERT --all   everything
#
# CONVERT is the pb_convert of a build.  For every file:
#   - our text is what protoc --decode prints, byte for byte;
#   - our bytes of that text are what protoc --encode writes, unless protoc
#     refuses the text because of unknown fields, which only we read back;
#   - our bytes are the file's, unless losses were reported;
#   - our JSON holds what json_format prints, and parses to the same message;
#   - our bytes of our JSON are the file's, unless losses were reported.
#
# Besides there are random messages of a schema with one of everything; they
# need nothing but protoc and python3-protobuf.
#
# Files come from Debian's libonnx-testdata and from ../shared/data (another
# place with TENON_TEST_DATA); what is not there is skipped, and said so.
set -u -o pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
data=${TENON_TEST_DATA:-$root/../shared/data}
cases=/usr/share/libonnx-testdata
convert=${1:?usage: protoc_text.sh CONVERT [--all]}
step=36
[ "${2:-}" != --all ] || step=1

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for set in onnx tensorflow; do
    protoc -I "$root/schemas" --include_imports \
        --descriptor_set_out="$work/$set.desc" "$root/schemas/$set.proto" ||
        exit 1
done

protoc -I "$root/tests/support" --include_imports \
    --descriptor_set_out="$work/sample.desc" \
    "$root/tests/support/sample_two.proto" \
    "$root/tests/support/sample_three.proto" || exit 1

judged=0 failed=0 lossy=0 refused=0

fail() {
    echo "FAIL $1: $2"
    failed=$((failed + 1))
}

# SET TYPE N FILE: the N-th conversion of the current batch.
judge_file() {
    local desc=$work/$1.desc type=$2 ours=$work/out/$3 file=$4
    judged=$((judged + 1))
    protoc --descriptor_set_in="$desc" --decode="$type" <"$file" \
        >"$work/text" 2>/dev/null
    cmp -s "$work/text" "$ours.text" ||
        { fail "$file" "text is not protoc's"; return; }
    if protoc --descriptor_set_in="$desc" --encode="$type" <"$ours.text" \
        >"$work/bytes" 2>/dev/null; then
        cmp -s "$work/bytes" "$ours.binary" ||
            fail "$file" "bytes are not protoc's"
    elif grep -qE '^ *[0-9]+(:| \{)' "$ours.text"; then
        refused=$((refused + 1))
    else
        fail "$file" "protoc refuses our text"
    fi
    if [ -s "$ours.losses" ]; then
        lossy=$((lossy + 1))
    else
        cmp -s "$file" "$ours.binary" || fail "$file" "text loses bytes"
    fi
    [ -s "$ours.json-losses" ] || cmp -s "$file" "$ours.back" ||
        fail "$file" "JSON loses bytes"
}

# FROM TO SUFFIX FILE...
batch() {
    local from=$1 to=$2 suffix=$3
    shift 3
    "$convert" "$work/$set.desc" "$type" "$from" "$to" "$work/out" "$suffix" \
        "$@" || failed=$((failed + 1))
}

# SET TYPE < file names
judge() {
    local set=$1 type=$2 files n
    mapfile -t files
    [ ${#files[@]} -gt 0 ] || return
    rm -rf "$work/out"
    mkdir "$work/out"
    batch binary text text "${files[@]}"
    batch binary losses losses "${files[@]}"
    batch binary json-losses json-losses "${files[@]}"
    batch binary json json "${files[@]}"
    n=$(seq -f "$work/out/%.0f" 0 $((${#files[@]} - 1)))
    batch text binary binary $(sed 's/$/.text/' <<<"$n")
    batch json binary back $(sed 's/$/.json/' <<<"$n")
    for n in "${!files[@]}"; do
        judge_file "$set" "$type" "$n" "${files[n]}"
        printf '%s\t%s\n' "${files[n]}" "$work/out/$n.json"
    done >"$work/list.both"
    grep -P '\t' "$work/list.both" >"$work/list"
    grep -vP '\t' "$work/list.both"
    /usr/bin/python3 "$root/tests/judges/json_judge.py" "$work/$set.desc" \
        "$type" "$work/list" || failed=$((failed + 1))
}

every() { awk "NR % $1 == 0"; }

# Random messages, odd on purpose: every kind of field, any order.
count=$((2400 / step))
for type in sample.two.All sample.three.All; do
    mkdir "$work/$type"
    /usr/bin/python3 "$root/tests/judges/random_messages.py" \
        "$work/sample.desc" $type $count "$work/$type" || exit 1
    judge sample $type < <(find "$work/$type" -name '*.pb' | sort)
done

if [ -d "$cases" ]; then
    judge onnx onnx.ModelProto < <(find "$cases" -name '*.onnx' | sort |
        every $step)
    judge onnx onnx.TensorProto < <(find "$cases" -name '*.pb' | sort |
        every $step)
else
    echo "skipped: no $cases (Debian's libonnx-testdata)"
fi
if [ -d "$data/onnx" ]; then
    judge onnx onnx.ModelProto < <(find "$data/onnx" -name '*.onnx' | sort)
    judge tensorflow tensorflow.SavedModel < <(find "$data/tensorflow" \
        -name saved_model.pb | sort)
    judge tensorflow tensorflow.GraphDef < <(find "$data/tensorflow/frozen" \
        -name '*.pb' | sort)
    judge tensorflow tensorflow.GraphDef < <(
        find "$data/tensorflow/import-suite" -name '*.pb' | sort | every $step)
else
    echo "skipped: wants real models"
fi

echo "$judged files judged, $failed failures;" \
    "$lossy reported losses, of $refused only we read the text back"
[ $failed -eq 0 ]
