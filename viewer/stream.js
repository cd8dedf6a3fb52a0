// stream.js - the bytes between head and tail of the page
//
// Each stream is an element <script id="tenon-NAME"> with base64 of raw deflate.
// src/view/view_data.h describes the bytes; the names here are the same.

export async function readStream(name) {
  const element = document.getElementById('tenon-' + name);
  return element ? inflate(decodeBase64(element.textContent.trim())) : null;
}

export function decodeBase64(text) {
  if (Uint8Array.fromBase64)
    return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++)
    bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  if (typeof DecompressionStream === 'undefined')
    throw new Error('this browser cannot decompress it; use one of 2023 or later');
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function padded(size) {
  return (size + 3) & ~3;
}

// The header at the beginning of the stream "picture", and where it ends.
export function readHeader(bytes) {
  if (String.fromCharCode(...bytes.subarray(0, 4)) !== 'TNV1')
    throw new Error('the data of this page is damaged: it does not begin with TNV1');
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  return { header: JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size))), end: padded(8 + size) };
}

export function decodeSection(section, bytes) {
  switch (section.kind) {
    case 'u8': return bytes;
    case 'u32': return new Uint32Array(aligned(bytes));
    case 'f32': return new Float32Array(aligned(bytes));
    case 'f64': return new Float64Array(aligned(bytes));
    case 'varint': return decodeVarints(bytes, section.count);
    case 'delta': return decodeDeltas(bytes, section.count);
    case 'text': return plainTexts(bytes, section.count);
    case 'front': return frontTexts(bytes, section.count);
    default: throw new Error('unknown kind of section: ' + section.kind);
  }
}

function aligned(bytes) {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

function decodeVarints(bytes, count) {
  let out = new Uint32Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    let byte = bytes[at++];
    if (byte < 0x80) {
      out[i] = byte;
      continue;
    }
    let value = byte & 0x7f;
    let unit = 128;
    do {
      byte = bytes[at++];
      value += (byte & 0x7f) * unit;
      unit *= 128;
    } while (byte >= 0x80);
    if (value > 0xffffffff && out instanceof Uint32Array)
      out = Float64Array.from(out); // sizes and offsets of files
    out[i] = value;
  }
  return out;
}

function decodeDeltas(bytes, count) {
  const out = new Int32Array(count);
  let at = 0;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    let byte = bytes[at++];
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[at++];
      value |= (byte & 0x7f) << shift;
    }
    sum += (value >>> 1) ^ -(value & 1);
    out[i] = sum;
  }
  return out;
}

// Strings by id.  The bytes of all of them lie in one array, for searching; a
// string is made when it is asked for.
export class Texts {
  constructor(bytes, ends) {
    this.bytes = bytes;
    this.ends = ends; // string i is bytes[ends[i] .. ends[i + 1]]
    this.count = ends.length - 1;
    this.made = new Map();
  }

  get(id) {
    let text = this.made.get(id);
    if (text === undefined) {
      if (this.made.size > 20000)
        this.made.clear();
      text = TEXT_DECODER.decode(this.bytes.subarray(this.ends[id], this.ends[id + 1]));
      this.made.set(id, text);
    }
    return text;
  }
}

const TEXT_DECODER = new TextDecoder();

class Varints {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  next() {
    let byte = this.bytes[this.at++];
    let value = byte & 0x7f;
    for (let unit = 128; byte >= 0x80; unit *= 128) {
      byte = this.bytes[this.at++];
      value += (byte & 0x7f) * unit;
    }
    return value;
  }
}

function plainTexts(coded, count) {
  const from = new Varints(coded);
  const ends = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++)
    ends[i + 1] = ends[i] + from.next();
  return new Texts(coded.subarray(from.at), ends);
}

// Each string begins with some bytes of the one before it.
function frontTexts(coded, count) {
  const ends = new Uint32Array(count + 1);
  const sizes = new Varints(coded);
  for (let i = 0; i < count; i++) {
    const shared = sizes.next();
    const rest = sizes.next();
    ends[i + 1] = ends[i] + shared + rest;
    sizes.at += rest;
  }
  const bytes = new Uint8Array(ends[count]);
  const from = new Varints(coded);
  for (let i = 0; i < count; i++) {
    const before = i ? ends[i - 1] : 0;
    const shared = from.next();
    const rest = from.next();
    let to = ends[i];
    for (let k = 0; k < shared; k++)
      bytes[to++] = bytes[before + k];
    for (let k = 0; k < rest; k++)
      bytes[to++] = coded[from.at + k];
    from.at += rest;
  }
  return new Texts(bytes, ends);
}
