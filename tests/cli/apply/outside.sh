# A patch is somebody else's: what it names is in its folder.  A script is one's own.
mkdir in && printf '12345678' >secret && ln -s ../secret in/link && printf '12345678' >in/own && ln -s .. in/up
while read -r line; do
    echo "$line" >in/patch
    tenon apply -q tiny.onnx in/patch -o out.onnx; echo "$line: $?"
done <<END
put-raw x ../secret uint8 8
put-raw x /secret uint8 8
put-raw x link uint8 8
put-raw x up/secret uint8 8
take ../tiny.onnx
rename-from ../secret
script ../secret
put-raw x own uint8 8
END
ls out.onnx
echo 'put-raw x ../secret uint8 8' >in/script
tenon edit -q tiny.onnx --script in/script -o edited.onnx && tenon ls edited.onnx | grep -c '^x	'
