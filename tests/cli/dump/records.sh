# A bare file of records: each is a message of the type that is said.
printf 'function { signature { name: "%s" } }\n' a b c d e f >six.txt
tenon undump -q six.txt -t tensorflow.FunctionDefLibrary -o six.pb
tenon split -q six.pb -t tensorflow.FunctionDefLibrary -o parts -m 24 -c none
mv parts.cpb bare.riegeli
records() { tenon dump --from riegeli -t tensorflow.FunctionDefLibrary "$@"; }
records bare.riegeli | head -n 24
records --json bare.riegeli | head -n 8
records --strict bare.riegeli
