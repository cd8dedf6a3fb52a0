# A signal asks the library to stop; nothing is left behind.  Whichever comes
# first, there is a whole file or none.
tenon convert -q tiny.onnx -o out.onnx --external out.bin --threshold 1 &
kill -TERM $!
wait $!
case $(ls) in
"tiny.onnx" | "out.bin
out.onnx
tiny.onnx") echo whole or nothing ;;
*) ls ;;
esac
