# A page and a picture; the same model gives the same bytes.
tenon view tiny.onnx -o tiny.html 2>&1 | sed 's/, [0-9.]* KiB,/, N KiB,/'
tenon view -q tiny.onnx -o again.html
cmp tiny.html again.html
head -c 15 tiny.html
grep -c 'id="tenon-picture"' tiny.html
tenon view tiny.onnx -o tiny.svg
# The picture of the README.
cmp tiny.svg "$root/docs/tiny.svg"
# The suffix chooses, --form chooses otherwise, and - is standard output.
tenon view -q tiny.onnx --form svg -o - | cmp - tiny.svg
tenon view -q tiny.onnx --form html -o page.svg
cmp page.svg tiny.html
tenon view --json tiny.onnx -o json.html |
    sed 's/"version": "[^"]*"/"version": "N"/; s/written": [0-9]*/written": N/'
# Nothing is replaced, and nothing is read over.
tenon view tiny.onnx -o tiny.html
tenon view -n tiny.onnx -o dry.svg
ls dry.svg
tenon view --force tiny.onnx -o tiny.onnx --form svg
tenon info tiny.onnx | head -1
