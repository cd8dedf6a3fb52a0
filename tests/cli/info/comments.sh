# a text is a model, however long the comments in front of it are
for lines in 100 2000; do
    yes '# a long story about where this model comes from, and whom to ask' |
        head -n $lines >long.txt
    tenon dump tiny.onnx >>long.txt
    tenon info long.txt | head -n 1
    tenon ls -1 long.txt | head -n 1
done
