# A FlatBuffer as JSON and back; data after it are told.
cp "$root/tests/corpus/fuzz/tfl_fuzz/add" a.tflite
tenon dump --strict a.tflite -o a.json
tenon undump a.json -o b.tflite
tenon diff a.tflite b.tflite
cp "$root/tests/corpus/fuzz/tfl_fuzz/outside" o.tflite
tenon dump o.tflite
tenon dump --strict o.tflite
