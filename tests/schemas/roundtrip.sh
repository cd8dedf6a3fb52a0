#!/usr/bin/env bash
# Judges the files in schemas/ alone, with protoc, against real files.
#
#   roundtrip.sh         every 10th case of the large sets, the others whole
#   roundtrip.sh --all   everything
#
# An ONNX file decoded and encoded again gives back its bytes.  TensorFlow
# writes maps in hash order, so there the size must be the same and the text
# of the second decoding equal to the first.  Nowhere may the text show a
# field by number: that is a field the schema lacks.
#
# Files come from Debian's libonnx-testdata and from ../shared/data (another
# place with TENON_TEST_DATA); what is not there is skipped, and said so.  Exits
# with 77 when there was nothing at all.
set -u -o pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
data=${TENON_TEST_DATA:-$root/../shared/data}
cases=/usr/share/libonnx-testdata
step=10
case "${1:-}" in
--all) step=1 ;;
'') ;;
*) echo "usage: $0 [--all]" >&2; exit 2 ;;
esac

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export work

for set in onnx tensorflow; do
    protoc -I "$root/schemas" --include_imports \
        --descriptor_set_out="$work/$set.desc" "$set.proto" || exit 1
done

# ---- one file -------------------------------------------------------------

decode() { protoc --descriptor_set_in="$work/${1%%.*}.desc" --decode="$1"; }
encode() { protoc --descriptor_set_in="$work/${1%%.*}.desc" --encode="$1"; }

good() { echo "ok $1"; }
bad() { echo "FAIL $1: $2"; return 1; }

# MESSAGE FILE: leaves the text in $tmp.text.
known_text() {
    decode "$1" <"$2" >"$tmp.text" 2>"$tmp.error" ||
        { bad "$2" "not a $1: $(head -n 1 "$tmp.error")"; return 1; }
    ! grep -m 1 -nE '^ *[0-9]+(:| \{)' "$tmp.text" >"$tmp.unknown" ||
        bad "$2" "$1 has a field without a name, text line $(<"$tmp.unknown")"
}

same_bytes() {
    known_text "$1" "$2" || return 1
    encode "$1" <"$tmp.text" | cmp -s - "$2" ||
        { bad "$2" "$1 comes back with other bytes"; return 1; }
    good "$2"
}

same_text() {
    known_text "$1" "$2" || return 1
    encode "$1" <"$tmp.text" >"$tmp.again"
    decode "$1" <"$tmp.again" | cmp -s - "$tmp.text" ||
        { bad "$2" "$1 comes back with other text"; return 1; }
    [ "$(stat -c %s "$tmp.again")" = "$(stat -c %s "$2")" ] ||
        { bad "$2" "$1 comes back with another size"; return 1; }
    good "$2"
}

# A text file must parse, and survive the same way once it is binary.
text_parses() {
    encode "$1" <"$2" >"$tmp.binary" 2>"$tmp.error" ||
        { bad "$2" "not a $1 as text: $(head -n 1 "$tmp.error")"; return 1; }
    same_text "$1" "$tmp.binary"
}

# ---- one folder of a conformance set --------------------------------------

# Text of a model in, "input_0 onnx.TensorProto" and so on out: the type of a
# graph's N-th input or output decides what file N is.
value_types() {
    awk '
        /^  initializer \{/ { where = "initializer" }
        /^  (input|output) \{/ { where = $1 }
        /^  [a-z_]+:/ || /^  \}/ { where = "" }
        /^    name: / && where == "initializer" { constant[$2] = 1 }
        /^    name: / { name = $2 }
        /^      [a-z_]+_type \{/ && where ~ /put/ && !(name in constant) {
            kind["tensor_type"] = "Tensor"
            kind["sequence_type"] = "Sequence"
            kind["optional_type"] = "Optional"
            print where "_" count[where]++ + 0, "onnx." kind[$1] "Proto"
        }'
}

conformance_case() {
    local value type
    same_bytes onnx.ModelProto "$1/model.onnx" || return 1
    value_types <"$tmp.text" >"$tmp.types"
    for value in "$1"/test_data_set_*/*.pb; do
        [ -f "$value" ] || continue
        type=$(awk -v v="$(basename "$value" .pb)" '$1 == v { print $2 }' \
            "$tmp.types")
        if [ -n "$type" ]; then
            same_bytes "$type" "$value"
        else
            bad "$value" "the model has no such value"
        fi
    done
}

# ---- the object graph inside a checkpoint ---------------------------------

# Lines "OFFSET SIZE FILE" from the expected listings of the checkpoints.
object_graphs() {
    local list model
    for list in "$data"/tensorflow/expected/*.variables.tsv; do
        model=$(basename "$list" .variables.tsv)
        awk -F '\t' -v dir="$data/tensorflow/saved_model/${model/__//}" '
            /shards=/ { split($0, part, "shards="); shards = part[2] + 0 }
            $1 == "_CHECKPOINTABLE_OBJECT_GRAPH" {
                printf "%s %s %s/variables/variables.data-%05d-of-%05d\n",
                    $5, $6, dir, $4, shards
            }' "$list"
    done 2>"$work/no-listings"
}

# A string tensor of one element is its length as a varint of n bytes, a
# checksum of 4, and the string.
object_graph() {
    local offset size file n
    read -r offset size file <<<"$1"
    for n in 1 2 3 4; do
        [ $((size - 4 - n)) -lt $((1 << (7 * n))) ] && break
    done
    tail -c +$((offset + n + 5)) "$file" | head -c $((size - 4 - n)) \
        >"$tmp.binary"
    same_text tensorflow.TrackableObjectGraph "$tmp.binary" ||
        bad "$file" "the object graph in it"
}

# ---- all of them ----------------------------------------------------------

# CHECK MESSAGE FILE...: a line per file, "ok" or "FAIL".  Some checks know
# the message themselves; theirs is empty.
worker() {
    tmp=$work/$$
    local check=$1 message=$2 file
    shift 2
    for file; do
        "$check" ${message:+"$message"} "$file"
    done
}
export -f decode encode good bad known_text same_bytes same_text \
    text_parses value_types conformance_case object_graph worker

total=0
failed=0

# NAME CHECK MESSAGE STEP, file names on standard input.
run() {
    local name=$1 count right wrong
    awk -v step="$4" 'NR % step == 1 || step == 1' >"$work/list"
    count=$(wc -l <"$work/list")
    if [ "$count" = 0 ]; then
        echo "skipped: wants real models: $name"
        return
    fi
    # shellcheck disable=SC2016 # the inner shell expands them
    xargs -d '\n' -n 40 -P "$(nproc)" bash -c 'worker "$0" "$@"' "$2" "$3" \
        <"$work/list" >"$work/lines"
    right=$(grep -c '^ok ' "$work/lines")
    grep '^FAIL ' "$work/lines"
    wrong=$(grep -c '^FAIL ' "$work/lines")
    [ $((right + wrong)) -ge "$count" ] || wrong=$((count - right))
    echo "$name: $right right, $wrong wrong"
    total=$((total + right))
    failed=$((failed + wrong))
}

find_sorted() { find "$@" 2>/dev/null | LC_ALL=C sort; }

# The checks themselves can fail: a field 105, and dims packed.
tmp=$work/self
printf '\310\006\001' >"$work/unnamed"
printf '\012\002\002\003' >"$work/packed"
if known_text onnx.ModelProto "$work/unnamed" >/dev/null ||
    same_bytes onnx.TensorProto "$work/packed" >/dev/null; then
    echo "FAIL: the checks accept what they must refuse"
    exit 1
fi

run 'ONNX conformance cases' conformance_case '' $step \
    < <(find_sorted "$cases" -name model.onnx -printf '%h\n')
run 'ONNX models' same_bytes onnx.ModelProto 1 \
    < <(find_sorted "$data/onnx" -name '*.onnx')
run 'TensorFlow frozen graphs' same_text tensorflow.GraphDef 1 \
    < <(find_sorted "$data/tensorflow/frozen" -name '*.pb')
run 'TensorFlow small graphs' same_text tensorflow.GraphDef $step \
    < <(find_sorted "$data/tensorflow/import-suite" -name model.pb)
run 'TensorFlow graphs to split' same_text tensorflow.GraphDef 1 \
    < <(find_sorted "$data/tensorflow/proto_splitter" -name '*.pb' \
        ! -name split-standard.pb)
run 'TensorFlow graphs as text' text_parses tensorflow.GraphDef 1 \
    < <(find_sorted "$data/tensorflow/proto_splitter" \
        -name 'split-large*.pbtxt')
run 'TensorFlow SavedModels' same_text tensorflow.SavedModel 1 \
    < <(find_sorted "$data/tensorflow" -name saved_model.pb -o \
        -name split-standard.pb)
run 'TensorFlow SavedModels as text' text_parses tensorflow.SavedModel 1 \
    < <(find_sorted "$data/tensorflow" -name saved_model.pbtxt -o \
        -name split-standard.pbtxt)
run 'TensorFlow debug info' same_text tensorflow.GraphDebugInfo 1 \
    < <(find_sorted "$data/tensorflow" -name saved_model_debug_info.pb)
run 'TensorFlow fingerprints' same_text tensorflow.FingerprintDef 1 \
    < <(find_sorted "$data/tensorflow" -name fingerprint.pb)
run 'TensorFlow object graphs' object_graph '' 1 < <(object_graphs)

echo "$total right, $failed wrong"
[ "$((total + failed))" != 0 ] || exit 77 # nothing to judge by: skipped
[ "$failed" = 0 ]
