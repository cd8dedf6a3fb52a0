# A bare file of records: each is a message of the type that is said.
printf 'function { signature { name: "%s" } }\n' a b c d e f >six.txt
tenon undump -q six.txt -t tensorflow.FunctionDefLibrary -o six.pb
tenon split -q six.pb -t tensorflow.FunctionDefLibrary -o parts -m 24 -c none
mv parts.cpb bare.riegeli
tenon dump -t tensorflow.FunctionDefLibrary bare.riegeli | head -n 24
tenon dump -t tensorflow.FunctionDefLibrary --json bare.riegeli | head -n 8
tenon dump --strict -t tensorflow.FunctionDefLibrary bare.riegeli
