# An option that would do nothing is refused, and so is a name under which
# TensorFlow would not find the checkpoint.
cat >g.txt <<'END'
node { name: "n" op: "NoOp" }
END
tenon undump g.txt -o g.pb
for words in "tiny.onnx -o a.onnx --shard-size 1MB" "g.pb -o a.pb --inline" \
    "g.pb -o a.pb --external a.bin" "tiny.onnx -o a.ckpt"; do
    tenon convert $words
    echo $?
done
tenon convert -q tiny.onnx -o a.ckpt.index
ls
