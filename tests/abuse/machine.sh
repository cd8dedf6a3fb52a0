# machine.sh - a hostile machine: no input, no reader, no memory, no stack

claim "standard input is closed"
exits 7 sh -c 'exec tenon info - <&-'

claim "standard output is closed, or full"
exits 7 sh -c 'exec tenon ls tiny.onnx >&-'
exits 7 sh -c 'exec tenon dump tiny.onnx -o - >/dev/full'

claim "a reader that goes away ends the command quietly"
tenon dump tiny.onnx -o - 2>pipe.err | head -c 1 >/dev/null
holds test ! -s pipe.err

claim "a little memory is a limit, not a crash"
for limit in 1 64 1KiB 8KiB 16KiB 32KiB 64KiB; do
    for verb in info ls check hash; do
        survives tenon $verb --max-mem $limit tiny.onnx
    done
done
exits 4 tenon info --max-mem 1KiB tiny.onnx

claim "absurd limits are usage errors"
for limit in -1 x 99999999999999999999 1XiB ''; do
    exits 2 tenon info --max-mem "$limit" tiny.onnx
done

claim "a stack of 128 KiB is enough for the deepest file"
make deep.onnx "onnx(nest(90, lambda g: part(1, part(4, 'If') + part(2, 'y') +
    part(5, part(1, 'b') + number(20, 5) + part(6, part(2, 's') + g)))))"
for verb in info ls check; do
    survives sh -c "ulimit -s 128; exec tenon $verb deep.onnx"
done

claim "a file cut off while it is mapped is an error, not a signal"
make long.onnx "onnx(part(5, number(1, 90000000) + number(2, 2) +
    part(8, 'w') + part(9, bytes(90000000))))"
tenon hash long.onnx >out 2>err &
sleep 0.05
truncate -s 4096 long.onnx
wait $!
code=$?
if [ $code -ge 64 ]; then fail "died with $code"; fi
