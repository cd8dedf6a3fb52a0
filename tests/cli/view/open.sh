# The browser gets the path as one argument, whatever is in it.
cat >browser <<'END'
#!/bin/sh
echo "$#" >"$LOG.new"
basename "$1" >>"$LOG.new"
mv "$LOG.new" "$LOG"
END
chmod +x browser
LOG=$PWD/log BROWSER=$PWD/browser:other
export LOG BROWSER
started() {
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -f log ] && break
        sleep 0.2
    done
    cat log
    rm -f log
}
tenon view -q tiny.onnx --open -o './-a $(b) ;c.html'
started
# Without -o: a file of its own.
TMPDIR=$PWD tenon view -q tiny.onnx --open
started
ls tenon-view-*/
BROWSER=$PWD/nosuch tenon view -q tiny.onnx --open -o x.html 2>&1 | sed "s|$PWD|DIR|"
