# A signal asks the library to stop, and nothing half written is left behind.
# Whenever it comes, there are both files or neither.
for delay in 0 0.002 0.005 0.01 0.02 0.03 0.05; do
    tenon convert -q tiny.onnx -o out.onnx --external out.bin --threshold 1 &
    sleep $delay
    kill -TERM $! 2>/dev/null
    wait $!
    case $(ls -A | tr '\n' ' ') in
    "tiny.onnx " | "out.bin out.onnx tiny.onnx ") ;;
    *) ls -A ;;
    esac
    rm -f out.onnx out.bin
done 2>/dev/null
