# A signal ends it by that signal (143 is TERM), and leaves nothing behind.  A gigabyte as text takes far
# longer than the signal needs once the temporary file is there.
cat >zeros.txt <<END
graph { initializer { name: "z" dims: 250000000 data_type: 1
  data_location: EXTERNAL
  external_data { key: "location" value: "z.bin" } } }
END
truncate -s 1000000000 z.bin
tenon undump zeros.txt -o zeros.onnx
tenon get zeros.onnx z -o out.txt &
until ls .out.txt.* >/dev/null 2>&1; do sleep 0.01; done
kill -TERM $!
{ wait $!; } 2>/dev/null # the shell has a word for it, too
echo "$?"
ls -A
