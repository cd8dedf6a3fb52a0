# What the fields do not tell, the name of the result does: what dump prints of
# a SameDiff graph goes back, and what is wrong with a text is said.
tenon convert -q tiny.onnx -o tiny.fb
tenon dump tiny.fb -o tiny.json
tenon undump tiny.json -o again.fb && tenon dump again.fb | cmp - tiny.json
tenon undump tiny.json -o again.bin
echo '{"what": 1}' >odd.json
tenon undump odd.json -o odd.onnx
tenon undump odd.json -o odd.fb
echo 'what: 1' | tenon undump - -o odd.pdmodel
echo 'PK' | tenon undump - -o odd.fb
printf '\037\213..' >odd.gz
tenon undump odd.gz -o odd.onnx
ls
