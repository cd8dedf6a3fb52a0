#!/bin/sh
# tagged_flatc.sh BINARY - flatc reads every entry of a container that we write
#
# With the schemas that are installed, identifiers checked; and makes code of
# them for other languages.  Real models are containers, too, when they are at
# hand.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
binary=$(realpath "${1:?usage: tagged_flatc.sh BINARY}")
command -v flatc >/dev/null && command -v unzip >/dev/null || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

"$binary" undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph \
    -o dense.fb || exit 1
count=0
data=${TENON_TEST_DATA:-$root/../shared/data}/samediff
for model in dense.fb "$data"/libnd4j/*.fb "$data"/models/* \
    "$data"/synthetic/*.sd*; do
    [ -f "$model" ] || continue
    rm -rf c.samediff entries json && mkdir entries json
    "$binary" tag add --quiet c.samediff one "$model" &&
        "$binary" tag add --quiet c.samediff two "$model" || exit 1
    "$binary" check c.samediff >said || { echo "$model:"; cat said; exit 1; }
    unzip -q c.samediff -d entries || exit 1
    for entry in $(cd entries && find . -name '*.fb'); do
        case $entry in
        */graph.fb) schema=graph ;;
        */trainingConfig.fb) schema=training ;;
        *) schema=array ;;
        esac
        flatc --no-warnings --json --strict-json -I "$root/schemas" -o json \
            "$root/schemas/samediff_$schema.fbs" -- "entries/$entry" ||
            { echo "$model: $entry: flatc refuses it"; exit 1; }
        count=$((count + 1))
    done
done
for language in java cpp; do
    flatc --no-warnings --$language -I "$root/schemas" -o code \
        "$root"/schemas/samediff_graph.fbs "$root"/schemas/samediff_array.fbs \
        "$root"/schemas/samediff_training.fbs || exit 1
done
echo "flatc: $count entries read"
# The bundled model alone: two graphs and their settings, three arrays shared.
[ $count -ge 7 ]
