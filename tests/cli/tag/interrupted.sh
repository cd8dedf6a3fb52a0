# a pipe that nobody writes: who is told to stop stops, and complains of nothing
exec 2>/dev/null # where the shell tells what became of them
mkfifo pipe
for call in "tag ls pipe" "get pipe name -o x.npy" "convert pipe -o x.onnx"; do
    tenon $call >out 2>&1 &
    sleep 0.2
    kill -TERM $!
    sleep 0.1
    kill -TERM $!
    wait $!
    echo "$call: $?"
    cat out
done
