/usr/bin/python3 -c "
import struct
level = lambda *o: struct.pack('<Q', 8 * len(o)) + struct.pack('<%dQ' % len(o), *o)
def record(*levels):
    return bytes(4) + struct.pack('<Q', len(levels)) + b''.join(levels) + bytes(4) + b'\\4\\0\\0\\0\\x08\\x14\\x10\\x09' + b'123456789'
open('good.tensor', 'wb').write(record(level(0, 2, 3), level(0, 4, 5, 9)))
open('bad.tensor', 'wb').write(record(level(0, 4, 8)))
open('new.tensor', 'wb').write(b'\\1' + record(level(0, 9))[1:])
newer = bytearray(record(level(0, 9))); newer[36] = 2
open('newer.tensor', 'wb').write(newer)
"
tenon info good.tensor
tenon info --json good.tensor
tenon ls --long good.tensor
tenon ls --json good.tensor
tenon check good.tensor bad.tensor
tenon convert -q --strict good.tensor -o good.npz
tenon info new.tensor
tenon info newer.tensor
