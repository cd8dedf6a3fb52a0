# PREFIX.pb would be stale beside PREFIX.cpb, but it is the input.
tenon convert tiny.onnx -o tiny.pb --to onnx
tenon split tiny.pb -o tiny --max-size 200 --force
echo "exit $?"
ls
