# Texts about a model, where its format has a place for them.
tenon edit tiny.onnx -o out.onnx --metadata 'author=A. Person' --remove-metadata labels --doc 'What is it?' --producer me \
    --producer-version 2.0 --model-version 3 --domain org.example --graph-name main
tenon dump out.onnx | grep -v -e node -e initializer | grep -A3 -e producer -e domain: -e version -e doc -e 'name: "main"' -e metadata
tenon convert -q tiny.onnx -o tiny.safetensors
tenon edit -q tiny.safetensors -o out.safetensors --metadata author=me
tenon edit -q out.safetensors -o back.safetensors --remove-metadata author
cmp tiny.safetensors back.safetensors
tenon edit tiny.onnx -o bad.onnx --remove-metadata nothing; echo $?
tenon edit tiny.safetensors -o bad.safetensors --doc text; echo $?
tenon edit tiny.onnx -o bad.onnx --model-version new; echo $?
ls bad.onnx
