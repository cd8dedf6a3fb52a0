# A terminal sees how far it is, unless it knows no escapes, is too narrow for
# the line, or shows the tensor itself.
cat >zeros.txt <<END
graph { initializer { name: "z" dims: 3000000 data_type: 1
  data_location: EXTERNAL
  external_data { key: "location" value: "z.bin" } } }
END
truncate -s 12000000 z.bin
tenon undump zeros.txt -o zeros.onnx
on_terminal() {
    TERM=$1 script -qec "stty cols $2; tenon get zeros.onnx z $3" /dev/null |
        grep -c writing || :
}
[ "$(on_terminal xterm 80 '-fo out.txt')" -ge 1 ] && echo seen
on_terminal dumb 80 '-fo out.txt'
on_terminal xterm 7 '-fo out.txt'
on_terminal xterm 80 '--slice :999999'
