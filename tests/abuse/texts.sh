# texts.sh - text format and JSON that mean harm

repeat() { /usr/bin/python3 -c "print(end='''$2''' * $1)"; }

claim "braces a hundred thousand deep"
repeat 100000 'graph { node { attribute { g { ' >deep.txt
refuses tenon undump deep.txt --type onnx.ModelProto -o deep.onnx
repeat 100000 '{"graph":' >deep.json
refuses tenon undump deep.json --type onnx.ModelProto -o deep.onnx
repeat 100000 '[' >brackets.json
refuses tenon undump brackets.json --type onnx.ModelProto -o deep.onnx

claim "unknown fields a hundred thousand deep"
repeat 100000 '1 { ' >unknown.txt
refuses tenon undump unknown.txt --type onnx.ModelProto -o deep.onnx

claim "a number of a million digits"
(printf 'ir_version: ' && repeat 1000000 9) >digits.txt
refuses tenon undump digits.txt --type onnx.ModelProto -o digits.onnx
(printf '{"irVersion": ' && repeat 1000000 9 && echo '}') >digits.json
refuses tenon undump digits.json --type onnx.ModelProto -o digits.onnx

claim "strings without an end, and endless escapes"
(printf 'producer_name: "' && repeat 1000000 a) >open.txt
refuses tenon undump open.txt --type onnx.ModelProto -o open.onnx
(printf 'producer_name: "' && repeat 300000 '\\\\') >escapes.txt
refuses tenon undump escapes.txt --type onnx.ModelProto -o open.onnx
(printf 'producer_name: ' && repeat 300000 '"a" ') >pieces.txt
accepts tenon undump pieces.txt --type onnx.ModelProto -o pieces.onnx

claim "a comment without an end of line, a file of spaces"
(printf '# ' && repeat 1000000 x) >comment.txt
survives tenon undump comment.txt --type onnx.ModelProto -o comment.onnx
repeat 1000000 ' ' >spaces.txt
survives tenon info spaces.txt

claim "a key twice in JSON"
echo '{"irVersion": 8, "irVersion": 9}' >twice.json
refuses tenon undump twice.json --type onnx.ModelProto -o twice.onnx

claim "half a surrogate, and bytes that are no UTF-8"
echo '{"producerName": "\ud800"}' >half.json
refuses tenon undump half.json --type onnx.ModelProto -o half.onnx
printf '{"producerName": "\377"}' >raw.json
refuses tenon undump raw.json --type onnx.ModelProto -o raw.onnx

claim "a refused text leaves no file"
for file in deep digits open twice half raw; do
    holds test ! -e $file.onnx
done

claim "a schema that is none"
echo 'nonsense' >bad.desc
refuses tenon dump tiny.onnx --schema bad.desc --type x.Y -o -
refuses tenon dump tiny.onnx --schema tiny.onnx --type x.Y -o -
refuses tenon dump tiny.onnx --type no.Such -o -
