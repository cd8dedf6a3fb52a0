# A terminal sees how far split and merge are.  Digits shrink, and slowly.
{
    echo 'graph {'
    for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
        cat <<END
initializer { name: "z$i" dims: 1000000 data_type: 2
  data_location: EXTERNAL
  external_data { key: "location" value: "z.bin" }
  external_data { key: "offset" value: "${i}000000" }
  external_data { key: "length" value: "1000000" } }
END
    done
    echo '}'
} >digits.txt
seq 100000000 1 200000000 | head -c 12000000 >z.bin
tenon undump digits.txt -o digits.onnx
tenon convert -q digits.onnx --inline -o inline.onnx
on_terminal() {
    TERM=xterm script -qec "stty cols 80; tenon $*" /dev/null |
        grep -c writing || :
}
[ "$(on_terminal split inline.onnx -m 1MiB -o chunks)" -ge 1 ] && echo split
# who reads the result late makes merging slow
mkfifo pipe
(sleep 0.4 && cat pipe >back.onnx) &
[ "$(on_terminal merge chunks -o pipe)" -ge 1 ] && echo merge
wait
cmp inline.onnx back.onnx
