# Names are data, never markup.
sed 's/"look"/"<\/script><script>alert(1)<\/script>"/; s/"image"/"a<b>\&\\"c\\033[31m\\001"/g' \
    "$root/examples/tiny.onnx.textproto" >evil.txt
tenon undump -q evil.txt -o evil.onnx
tenon view -q evil.onnx -o evil.html
tenon view -q tiny.onnx -o good.html
# The page ends where the page without such names ends.
grep -c '<script' evil.html good.html
grep -c 'alert(1)' evil.html
tenon view -q evil.onnx -o - --form svg | grep -c 'a<b>'
tenon view -q evil.onnx -o - --form svg | grep -a -o 'a&lt;b&gt;[^<]*' | sort -u
