# files.sh - tricks with the file system, on the way in and on the way out

cp tiny.onnx before.onnx

claim "output onto an existing file needs --force"
echo precious >taken.onnx
exits 9 tenon convert tiny.onnx -o taken.onnx
holds test "$(cat taken.onnx)" = precious

claim "output onto its own input leaves a whole model"
accepts tenon convert --force tiny.onnx -o tiny.onnx
holds cmp tiny.onnx before.onnx

claim "a side file cannot be the model itself"
refuses tenon convert tiny.onnx -o self.onnx --external self.onnx --threshold 1
holds test ! -e self.onnx

claim "no file that is written takes the place of another, or of what is read"
make graph.pb "node('x', 'Placeholder', part(5, part(1, 'dtype') +
    part(2, number(6, 1)))) + node('y', 'Neg', part(3, 'x'), of_floats())"
cp graph.pb graph.before
mkdir sub
ln -s graph.pb other.pb
for name in twice.onnx ./twice.onnx sub/../twice.onnx; do
    exits 11 tenon convert graph.pb -o twice.onnx --receipt $name
    says "given for two outputs"
    exits 11 tenon convert graph.pb -o twice.onnx --receipt $name --force
    holds test ! -e twice.onnx
done
for name in graph.pb other.pb sub/../graph.pb; do
    exits 11 tenon convert graph.pb -o never.onnx --receipt $name --force
    says "would be overwritten"
    holds cmp graph.pb graph.before
    holds test ! -e never.onnx
done
exits 11 tenon convert tiny.onnx -o never.onnx --external tiny.onnx \
    --threshold 1 --force
says "would be overwritten"
holds cmp tiny.onnx before.onnx
holds test ! -e never.onnx
accepts tenon convert tiny.onnx -o beside.onnx --external beside.bin --threshold 1
cp beside.bin bin.before
exits 11 tenon convert beside.onnx -o never.onnx --external beside.bin \
    --threshold 1 --force
holds cmp beside.bin bin.before
accepts tenon convert beside.onnx -o beside.onnx --external beside.bin \
    --threshold 1 --force
accepts tenon convert beside.onnx -o back.onnx --inline
tensor=$(tenon ls tiny.onnx --json | grep -o '"name": *"[^"]*"' | head -n 1 |
    sed 's/.*"\([^"]*\)"$/\1/')
exits 11 tenon get --raw beside.onnx "$tensor" -o beside.onnx --force
says "would be overwritten"
exits 11 tenon get --raw beside.onnx "$tensor" -o beside.bin --force

claim "output onto a folder, with --force too"
mkdir folder.onnx
refuses tenon convert tiny.onnx -o folder.onnx
refuses tenon convert --force tiny.onnx -o folder.onnx
holds test -d folder.onnx

claim "output through a symbolic link replaces its file, not the link"
cp tiny.onnx target.onnx
ln -s target.onnx link.onnx
exits 9 tenon convert tiny.onnx -o link.onnx
accepts tenon convert --force tiny.onnx -o link.onnx
holds test -L link.onnx

claim "side files are written nowhere but beside the model"
mkdir inner
for place in ../escaped.bin "$PWD/escaped.bin" inner/../../escaped.bin; do
    refuses tenon convert tiny.onnx -o inner/out.onnx --external "$place" \
        --threshold 1
done
ln -s .. inner/up
refuses tenon convert tiny.onnx -o inner/out.onnx --external up/escaped.bin \
    --threshold 1
holds test ! -e escaped.bin -a ! -e ../escaped.bin -a ! -e inner/out.onnx

claim "side files of devices and of /proc are not opened"
for place in /dev/zero /proc/self/environ ../tiny.onnx; do
    make outside.onnx "onnx(part(5, number(1, 4) + number(2, 2) + part(8, 'w') +
        part(13, part(1, 'location') + part(2, '$place')) + number(14, 1)))"
    exits 1 tenon check outside.onnx
    says unsafe-location
    refuses tenon get outside.onnx w --raw -o -
done

claim "a full disk is an error, and nothing is left"
refuses tenon convert --force --to onnx tiny.onnx -o /dev/full
holds test -c /dev/full

claim "a folder that cannot be written"
refuses tenon convert tiny.onnx -o /proc/out.onnx
refuses tenon convert tiny.onnx -o missing/out.onnx

claim "a file that grows past its limit leaves nothing behind"
mkdir limited
exits 7 sh -c 'ulimit -f 0; exec tenon convert tiny.onnx -o limited/out.onnx'
holds test -z "$(ls -A limited)"

claim "an endless stream ends at the limit of the disk, and nothing is left"
mkdir spool
refuses sh -c 'ulimit -f 2048; TMPDIR=$PWD/spool exec tenon info /dev/zero'
holds test -z "$(ls -A spool)"

claim "killed in the middle: the old file is whole"
make big.onnx "onnx(part(5, number(1, 30000000) + number(2, 2) + part(8, 'w') +
    part(9, bytes(30000000))))"
cp big.onnx whole.onnx
for pause in 0.01 0.03 0.05; do
    tenon convert --force tiny.onnx -o whole.onnx >out 2>err &
    sleep $pause
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    cmp -s whole.onnx big.onnx || holds cmp whole.onnx before.onnx
done

claim "two writers of one target: the file is whole"
i=0
while [ $i -lt 5 ]; do
    tenon convert --force big.onnx -o shared.onnx >out.1 2>&1 &
    first=$!
    tenon convert --force tiny.onnx -o shared.onnx >out.2 2>&1
    wait $first
    cmp -s shared.onnx big.onnx || holds cmp shared.onnx before.onnx
    i=$((i + 1))
done

claim "paths with spaces, line ends and a leading dash"
odd='-a b
c.onnx'
cp tiny.onnx "./$odd"
accepts tenon info -- "$odd"
holds test "$(grep -c . out)" -gt 3
accepts tenon convert -o ./out.onnx -- "$odd"
holds cmp out.onnx before.onnx

claim "a symbolic link that leads to itself"
ln -s loop.onnx loop.onnx
exits 7 tenon info loop.onnx

claim "a pipe that nobody writes is not waited for as a side file"
make piped.onnx "onnx(part(5, number(1, 4) + number(2, 2) + part(8, 'w') +
    part(13, part(1, 'location') + part(2, 'pipe')) + number(14, 1)))"
mkfifo pipe
exits 1 tenon check piped.onnx
says unsafe-location

claim "no verb writes over what it reads"
seconds=300 # a hundred runs
accepts python3 "$here/support/overwrite.py"
