#!/bin/sh
# tflite_size.sh TENON: a TFLite model of 6 GiB, in 64 MiB.
#
# The FlatBuffer is small, its data lie after it.  An edit that builds the
# buffer anew puts them after it again; holes stay holes.
set -eu
. "$(dirname "$0")/common.sh"

cat >big.json <<'END'
{"version": 3, "operator_codes": [{"deprecated_builtin_code": 0}],
 "buffers": [{}, {"offset": 4096, "size": 3221225472},
             {"offset": 3221229568, "size": 3221225472}],
 "subgraphs": [{"tensors": [{"shape": [1], "type": "UINT8", "name": "x"},
                            {"shape": [3, 1073741824], "type": "UINT8", "name": "y"},
                            {"shape": [3, 1073741824], "type": "UINT8", "name": "a", "buffer": 1},
                            {"shape": [3, 1073741824], "type": "UINT8", "name": "b", "buffer": 2}],
                "inputs": [0], "outputs": [1],
                "operators": [{"inputs": [2, 3], "outputs": [1],
                               "builtin_options_type": "AddOptions", "builtin_options": {}}]}]}
END
"$tenon" undump big.json -o big.tflite
for name in a b; do
    start=4096
    [ $name = a ] || start=3221229568
    printf 'first %s' $name | dd of=big.tflite bs=1 seek=$start conv=notrunc status=none
    printf 'last  %s' $name |
        dd of=big.tflite bs=1 seek=$((start + 3221225472 - 7)) conv=notrunc status=none
done
on_disk big.tflite

echo "# 6 GiB TFLite"
small info big.tflite >/dev/null
small check big.tflite >/dev/null
small dump big.tflite >/dev/null 2>said
grep -q 'after the FlatBuffer' said || fail "dump does not say what it leaves out"
same_words big.tflite
small edit big.tflite --doc "built anew" -o again.tflite 2>/dev/null
on_disk again.tflite
small check again.tflite >/dev/null
same_words again.tflite
small convert big.tflite -o big.safetensors 2>/dev/null
on_disk big.safetensors
same_words big.safetensors
echo "ok"
