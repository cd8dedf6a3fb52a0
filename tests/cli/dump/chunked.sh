# A chunked message of a type that is said is dumped as what its chunks make,
# whatever the file is called; undump gives it back.
printf 'function { signature { name: "%s" } }\n' a b c d e f >six.txt
type=tensorflow.FunctionDefLibrary
tenon undump -q six.txt -t $type -o six.pb
tenon split -q six.pb -t $type -o parts -m 24 -c none
cp parts.cpb bare.riegeli
tenon dump -t $type parts.cpb | tr -d ' \n'; echo
tenon dump --json -t $type bare.riegeli | tr -d ' \n'; echo
tenon dump --strict -t $type parts.cpb -o again.txt
tenon undump -q again.txt -t $type -o again.pb
cmp six.pb again.pb && echo the same
printf 'node_def { name: "%080d" } ' 1 2 >f.txt
printf 'signature { name: "%080d" }' 3 >>f.txt
tenon undump -q f.txt -t tensorflow.FunctionDef -o f.pb
tenon split -q f.pb -t tensorflow.FunctionDef -o paths -m 60 -c none
tenon dump -t tensorflow.FunctionDef paths.cpb | grep -c 'name: "0*[123]"'
tenon dump -t tensorflow.VersionDef paths.cpb
