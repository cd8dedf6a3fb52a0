# A tensor goes by the name that ls prints, whatever is in it.
tenon dump tiny.onnx | sed 's|"flat"|"fl\\\\at\\033[1m \\342\\200\\256x"|' >odd.txt
tenon undump odd.txt -o odd.onnx
name=$(tenon ls --names odd.onnx | sed -n 3p)
printf "%s\n" "$name"
tenon get odd.onnx "$name"
tenon get tiny.onnx flat
tenon get odd.onnx 'fl\\no'
# a name that is advised has its escapes once, and is taken as it is advised
tenon get odd.onnx "${name}q"
# one tensor is called as another is printed: the hint says which this is
tenon dump tiny.onnx | sed 's|"flat"|"a\\342\\200\\256b"|; s|"filters"|"a\\\\u{202e}b"|' >both.txt
tenon undump both.txt -o both.onnx
tenon ls -1 both.onnx
tenon get both.onnx 'a\u{202e}b' --slice 0,0,0
tenon get -q both.onnx 'a\u{202e}b' --slice 0,0,0
tenon get both.onnx 'a\\u{202e}b' --slice 0,0,0
