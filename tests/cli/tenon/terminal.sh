# On a terminal: a table with colours; with NO_COLOR, a table without.
on_terminal() { TERM=xterm script -qec "$1" /dev/null | tr -d '\r' | sed 's/\x1b/ESC/g'; }
on_terminal 'tenon ls tiny.onnx flat'
on_terminal 'NO_COLOR=1 tenon ls tiny.onnx flat'
on_terminal 'tenon check tiny.onnx'
on_terminal 'tenon undump tiny.onnx -o -'
