# What is wrong, with its byte; a file that was cut short; one that is not there.
cp "$root/tests/corpus/fuzz/tfl_fuzz/outside" a.tflite
tenon check a.tflite
head -c 500 a.tflite >b.tflite
tenon check b.tflite
tenon check --json b.tflite
head -c 100 a.tflite >c.tflite
tenon check c.tflite
tenon check none.tflite
