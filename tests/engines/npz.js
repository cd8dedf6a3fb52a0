// npz.js - arrays to and from .npz, as far as an engine's tensors go
//
// A .npz is a zip of .npy files.  Entries may be stored or deflated when read;
// they are stored when written, without ZIP64: a test's arrays are small.
'use strict';
const fs = require('fs');
const zlib = require('zlib');

// ---- npy --------------------------------------------------------------------

const KINDS = { // descr: [type of the engine, array, bytes]
    '<f4': ['float32', Float32Array, 4], '<f8': ['float64', Float64Array, 8],
    '<f2': ['float16', Uint16Array, 2],
    '|i1': ['int8', Int8Array, 1], '|u1': ['uint8', Uint8Array, 1],
    '<i2': ['int16', Int16Array, 2], '<u2': ['uint16', Uint16Array, 2],
    '<i4': ['int32', Int32Array, 4], '<u4': ['uint32', Uint32Array, 4],
    '<i8': ['int64', BigInt64Array, 8], '<u8': ['uint64', BigUint64Array, 8],
    '|b1': ['bool', Uint8Array, 1],
};

function textsOf(bytes, width, count) { // <U: UCS-4, zeros at the end
    const texts = [];
    for (let i = 0; i < count; i++) {
        let text = '';
        for (let j = 0; j < width; j++) {
            const point = bytes.readUInt32LE((i * width + j) * 4);
            if (point) text += String.fromCodePoint(point);
        }
        texts.push(text);
    }
    return texts;
}

function readNpy(bytes) {
    const long = bytes[6] > 1;
    const length = long ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8);
    const begin = (long ? 12 : 10) + length;
    const head = bytes.toString('latin1', long ? 12 : 10, begin);
    const descr = /'descr':\s*'([^']*)'/.exec(head)[1];
    const dims = (/'shape':\s*\(([^)]*)\)/.exec(head)[1].match(/\d+/g) || [])
        .map(Number);
    const count = dims.reduce((a, b) => a * b, 1);
    if (/'fortran_order':\s*True/.test(head) && dims.length > 1)
        throw new Error('an array in Fortran order');
    if (descr.startsWith('<U'))
        return { type: 'string', dims,
                 data: textsOf(bytes.subarray(begin), +descr.slice(2), count) };
    const kind = KINDS[descr];
    if (!kind) throw new Error(`an array of ${descr}`);
    const data = bytes.buffer.slice(bytes.byteOffset + begin,
                                    bytes.byteOffset + begin + count * kind[2]);
    return { type: kind[0], dims, data: new kind[1](data) };
}

function writeTexts(texts) {
    const width = Math.max(1, ...texts.map(text => [...text].length));
    const bytes = Buffer.alloc(texts.length * width * 4);
    texts.forEach((text, i) => [...text].forEach((point, j) =>
        bytes.writeUInt32LE(point.codePointAt(0), (i * width + j) * 4)));
    return [`<U${width}`, bytes];
}

function writeNpy(tensor) {
    let descr, bytes;
    if (tensor.type === 'string') {
        [descr, bytes] = writeTexts(tensor.data);
    } else {
        descr = Object.keys(KINDS).find(key => KINDS[key][0] === tensor.type);
        if (!descr) throw new Error(`a tensor of ${tensor.type}`);
        bytes = Buffer.from(tensor.data.buffer, tensor.data.byteOffset,
                            tensor.data.byteLength);
    }
    const shape = tensor.dims.join(', ') + (tensor.dims.length === 1 ? ',' : '');
    let head = `{'descr': '${descr}', 'fortran_order': False, ` +
               `'shape': (${shape}), }`;
    head = head.padEnd(64 * Math.ceil((head.length + 13) / 64) - 13) + '\n';
    // Version 3: numpy cleans the headers of older ones first, which takes longer.
    const start = Buffer.from('\x93NUMPY\x03\x00\x00\x00\x00\x00', 'latin1');
    start.writeUInt32LE(head.length, 8);
    return Buffer.concat([start, Buffer.from(head, 'latin1'), bytes]);
}

// ---- zip --------------------------------------------------------------------

function readZip(path) {
    const file = fs.readFileSync(path);
    const end = file.lastIndexOf('PK\x05\x06', undefined, 'latin1');
    const entries = {};
    let at = file.readUInt32LE(end + 16);
    for (let left = file.readUInt16LE(end + 10); left > 0; left--) {
        const method = file.readUInt16LE(at + 10);
        const size = file.readUInt32LE(at + 20);
        const nameLength = file.readUInt16LE(at + 28);
        const local = file.readUInt32LE(at + 42);
        const name = file.toString('utf8', at + 46, at + 46 + nameLength);
        const begin = local + 30 + file.readUInt16LE(local + 26) +
                      file.readUInt16LE(local + 28);
        const packed = file.subarray(begin, begin + sizeOf(file, local, size));
        entries[name] = method ? zlib.inflateRawSync(packed) : packed;
        at += 46 + nameLength + file.readUInt16LE(at + 30) +
              file.readUInt16LE(at + 32);
    }
    return entries;
}

// numpy writes ZIP64 fields into local headers; the directory tells the size,
// but for entries past 4 GiB, which no test has.
function sizeOf(file, local, size) {
    if (size === 0xffffffff) throw new Error('an entry past 4 GiB');
    return size;
}

let table;

function crc32(bytes) {
    table = table || Uint32Array.from({ length: 256 }, (_, n) => {
        for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
        return n;
    });
    let crc = ~0;
    for (const byte of bytes) crc = table[(crc ^ byte) & 255] ^ (crc >>> 8);
    return ~crc >>> 0;
}

function writeZip(path, entries) {
    const parts = [], directory = [];
    let offset = 0;
    for (const [name, bytes] of Object.entries(entries)) {
        const text = Buffer.from(name, 'utf8');
        const local = Buffer.alloc(30), central = Buffer.alloc(46);
        local.writeUInt32LE(0x04034b50, 0);
        local.writeUInt16LE(20, 4);
        local.writeUInt16LE(0x800, 6);
        local.writeUInt32LE(crc32(bytes), 14);
        local.writeUInt32LE(bytes.length, 18);
        local.writeUInt32LE(bytes.length, 22);
        local.writeUInt16LE(text.length, 26);
        central.writeUInt32LE(0x02014b50, 0);
        central.writeUInt16LE(20, 4);
        local.copy(central, 6, 4, 30);
        central.writeUInt32LE(offset, 42);
        directory.push(central, text);
        parts.push(local, text, bytes);
        offset += local.length + text.length + bytes.length;
    }
    const tail = Buffer.concat(directory), end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(directory.length / 2, 8);
    end.writeUInt16LE(directory.length / 2, 10);
    end.writeUInt32LE(tail.length, 12);
    end.writeUInt32LE(offset, 16);
    fs.writeFileSync(path, Buffer.concat([...parts, tail, end]));
}

exports.read = path => Object.fromEntries(Object.entries(readZip(path)).map(
    ([name, bytes]) => [name.replace(/\.npy$/, ''), readNpy(bytes)]));
exports.write = (path, tensors) => writeZip(path, Object.fromEntries(
    Object.entries(tensors).map(([name, tensor]) =>
        [name + '.npy', writeNpy(tensor)])));
