# Nothing is written, and the message says why.
tenon edit tiny.onnx -o out.onnx; echo $?
tenon edit tiny.onnx --rename image=x; echo $?
tenon edit missing.onnx -o out.onnx --rename image=x; echo $?
tenon edit tiny.onnx -o out.onnx --rename nothing=x; echo $?
tenon edit tiny.onnx -o out.onnx --rename image=seen; echo $?
tenon edit tiny.onnx -o out.onnx --rename image; echo $?
tenon edit tiny.onnx -o out.onnx --rename-all 'i*=*x*'; echo $?
tenon edit tiny.onnx -o out.onnx --rename-all 'zzz*=x*'; echo $?
tenon edit tiny.onnx -o out.onnx --rename-input seen=x; echo $?
tenon edit tiny.onnx -o out.onnx --rename-node 'no=x'; echo $?
tenon edit tiny.onnx -o out.onnx --set-attr 'decide axis=ints x'; echo $?
tenon edit tiny.onnx -o out.onnx --set-attr 'decide axis=one'; echo $?
tenon edit tiny.onnx -o out.onnx --remove-attr 'decide nothing'; echo $?
tenon edit tiny.onnx -o out.onnx --put seen=tiny.onnx:filters; echo $?
tenon edit tiny.onnx -o out.onnx --put x=tiny.onnx; echo $?
tenon edit tiny.onnx -o out.onnx --put x=missing.npy; echo $?
tenon edit tiny.onnx -o out.onnx --put-raw 'x=tiny.onnx float32 3,4'; echo $?
tenon edit tiny.onnx -o out.onnx --in nowhere; echo $?
tenon edit tiny.onnx -o out.pb --rename image=x; echo $?
printf 'rename image=x\nfly away\n' >script
tenon edit tiny.onnx -o out.onnx --script script; echo $?
printf 'rename image="x' >script
tenon edit tiny.onnx -o out.onnx --script script; echo $?
echo 'script script' >script
tenon edit tiny.onnx -o out.onnx --script script; echo $?
echo nonsense >words
tenon edit words -o out.onnx --rename a=b; echo $?
tenon edit tiny.onnx -o tiny.onnx --rename image=x; echo $?
cat >graph.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
END
tenon convert -q graph.pbtxt -o graph.pb
tenon edit graph.pb -o out.pb --rename 'x="a b"'; echo $?
ls out.onnx out.pb
echo; tenon edit tiny.onnx --doc short -o out.npy; echo $?; ls out.npy
