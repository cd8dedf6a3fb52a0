# names.sh - names that would speak to the terminal, or break its lines

cat >names.txt <<'END'
ir_version: 8
producer_name: "\033]0;owned\007\nproducer"
opset_import { domain: "a\033[31m" version: 17 }
graph {
  name: "g\r\033[2K"
  node { op_type: "Op\033[1A" name: "n\nfake line" input: "in\033c"
         output: "y\t\x00z" domain: "a\033[31m" }
  initializer { name: "w\n\033[0;31mred" data_type: 1 dims: 1
                float_data: 1 }
  output { name: "gone\x1b[8m" }
}
metadata_props { key: "k\x9b31m" value: "v\n\x7f" }
END

claim "no control character of a model reaches standard output or error"
accepts tenon undump names.txt -o names.onnx
for command in "info --all" ls "ls --ops" "ls --layout table" check hash \
    "info --json" "ls --json" "check --json" "hash --json"; do
    survives tenon $command names.onnx
    cat out err >both
    if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" both; then
        fail "$command printed a control character"
    fi
done

claim "one line a tensor, whatever it is called"
accepts tenon ls names.onnx
holds test "$(wc -l <out)" -eq 1
accepts tenon hash names.onnx
holds test "$(wc -l <out)" -eq 1

claim "an error about a hostile name is one line without control characters"
refuses tenon get names.onnx "$(printf 'no\033[2J\nsuch')"
if LC_ALL=C grep -q "$(printf '\033')" err; then fail "an escape sequence"; fi

claim "a file name with escape sequences"
odd=$(printf 'a\033[2Jb.onnx')
cp names.onnx "$odd"
survives tenon check "$odd"
if LC_ALL=C grep -q "$(printf '\033')" out err; then fail "an escape"; fi
refuses tenon info "$odd.missing"
if LC_ALL=C grep -q "$(printf '\033')" out err; then fail "an escape"; fi
