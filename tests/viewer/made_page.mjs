// made_page.mjs - pages for the tests that no model has to be written for
//
// encodePage(head, tail, picture) writes what src/view/view_data.h describes, from
// plain objects; see tests/viewer/cases.mjs for pictures.
import zlib from 'node:zlib';

const pad = (bytes) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);

function varint(out, value) {
  while (value >= 128) {
    out.push((value % 128) | 128);
    value = Math.floor(value / 128);
  }
  out.push(value);
}

const kinds = {
  u8: (a) => Buffer.from(a),
  f32: (a) => Buffer.from(Float32Array.from(a).buffer),
  f64: (a) => Buffer.from(Float64Array.from(a).buffer),
  varint(a) {
    const out = [];
    for (const v of a)
      varint(out, v);
    return Buffer.from(out);
  },
  delta(a) {
    const out = [];
    let before = 0;
    for (const v of a) {
      const d = v - before;
      varint(out, d < 0 ? -2 * d - 1 : 2 * d);
      before = v;
    }
    return Buffer.from(out);
  },
  text(a) {
    const texts = a.map((t) => Buffer.from(t));
    return Buffer.concat([kinds.varint(texts.map((t) => t.length)), ...texts]);
  },
  front(a) {
    const parts = [];
    let before = Buffer.alloc(0);
    for (const t of a) {
      const text = Buffer.from(t);
      let shared = 0;
      while (shared < text.length && shared < before.length && text[shared] === before[shared])
        shared++;
      parts.push(kinds.varint([shared, text.length - shared]), text.subarray(shared));
      before = text;
    }
    return Buffer.concat(parts);
  },
};

// streams: { picture: { name: [kind, values], ... }, nodes: ... }
export function encodePage(head, tail, header, streams) {
  const names = Object.keys(streams);
  const sections = [];
  const bodies = names.map((stream, index) => {
    const parts = [];
    for (const [name, [kind, values]] of Object.entries(streams[stream])) {
      const bytes = kinds[kind](values);
      sections.push({ name, stream: index, kind, count: values.length, bytes: bytes.length });
      parts.push(pad(bytes));
    }
    return Buffer.concat(parts);
  });
  const json = Buffer.from(JSON.stringify({ ...header, streams: names, sections }));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(json.length);
  bodies[0] = Buffer.concat([pad(Buffer.concat([Buffer.from('TNV1'), size, json])), bodies[0]]);
  const elements = names.map((name, k) => '<script type="application/octet-stream" id="tenon-' + name + '">' +
    zlib.deflateRawSync(bodies[k]).toString('base64') + '</' + 'script>\n');
  return Buffer.concat([head, ...elements.map((e) => Buffer.from(e)), tail]);
}

const CLASSES = ['other', 'data', 'constant', 'convolution and product', 'normalization', 'activation', 'pooling and reduction',
  'shape and order', 'arithmetic', 'control flow', 'quantization', 'block'];
const KINDS = ['graph', 'scope', 'fold', 'op', 'body', 'function', 'tensors'];

// A picture of blocks written by hand: { title, blocks: [{ kind, lead, home, caller,
// items: [{ label, detail, block, repeat, x, y, w, h, class, state }], edges: [{ from,
// to, kind, label, lane }] }], nodes: [{ name, op, kind, inputs, own, outputs }] }.
export function madePage(head, tail, made) {
  const strings = [''];
  const ids = new Map([['', 0]]);
  const id = (text = '') => {
    if (!ids.has(text)) {
      ids.set(text, strings.length);
      strings.push(text);
    }
    return ids.get(text);
  };
  const column = {};
  const add = (name, kind, value) => (column[name] ||= [kind, []])[1].push(value);
  const sizes = [];
  const sizeOf = (b) => (sizes[b] ??= made.blocks[b].items.reduce((n, i) => n + extent(i), lead(b)));
  const lead = (b) => (made.blocks[b].lead && made.blocks[b].kind !== 'op' ? 1 : 0);
  const extent = (i) => (i.repeat || 1) * (!i.block ? 1 : made.blocks[i.block].home ? 0 : sizeOf(i.block));
  made.blocks.forEach((b, at) => {
    add('block_kind', 'u8', KINDS.indexOf(b.kind));
    add('block_items', 'varint', b.items.length);
    add('block_edges', 'varint', (b.edges || []).length);
    add('block_size', 'varint', sizeOf(at));
    add('block_lead', 'u8', b.lead ? 1 : 0);
    add('block_home', 'varint', b.home || 0);
    add('block_caller', 'varint', b.caller || 0);
    add('block_width', 'varint', b.width || b.items.reduce((most, i) => Math.max(most, i.x + i.w), 0) + 12);
    add('block_height', 'varint', b.height || b.items.reduce((most, i) => Math.max(most, i.y + i.h), 0) + 12);
    let offset = lead(at);
    for (const i of b.items) {
      add('item_block', 'varint', i.block || 0);
      add('item_offset', 'varint', offset);
      offset += extent(i);
      add('item_repeat', 'varint', i.repeat || 1);
      for (const k of ['x', 'y', 'w', 'h'])
        add('item_' + k, 'delta', i[k]);
      add('item_layer', 'delta', i.layer || 0);
      add('item_label', 'varint', id(i.label));
      add('item_detail', 'varint', id(i.detail));
      add('item_class', 'u8', i.class ?? (i.block ? 11 : 0));
      if (made.blocks.some((other) => other.items.some((item) => item.open)))
        add('item_open', 'u8', i.open || 0);
      if (made.diff)
        add('item_state', 'u8', i.state || 0);
    }
    for (const e of b.edges || []) {
      add('edge_from', 'varint', e.from);
      add('edge_to', 'varint', e.to);
      add('edge_kind', 'u8', e.kind || 0);
      add('edge_weight', 'varint', 1);
      add('edge_label', 'varint', id(e.label));
      add('edge_lane', 'varint', e.lane || 0);
      add('edge_port_from', 'varint', e.from ? Math.round(b.items[e.from - 1].w / 2) : 0);
      add('edge_port_to', 'varint', e.to ? Math.round(b.items[e.to - 1].w / 2) : 0);
    }
  });
  for (const name of ['edge_from', 'edge_to', 'edge_weight', 'edge_label', 'edge_lane', 'edge_port_from', 'edge_port_to'])
    column[name] ||= ['varint', []];
  column.edge_kind ||= ['u8', []];
  const { nodes } = made;
  const zigzag = (d) => (d < 0 ? -2 * d - 1 : 2 * d);
  const inputs = [];
  const valueNames = [];
  const valueTypes = [];
  const valueTensors = [];
  nodes.forEach((n) => {
    for (const v of [...(n.own || []), ...(n.outputs || [])]) {
      valueNames.push(v.name || '');
      valueTypes.push(id(v.type));
      valueTensors.push(v.tensor ?? 0);
    }
    const first = valueNames.length - (n.outputs || []).length;
    for (const v of n.inputs || [])
      inputs.push(v < 0 ? 0 : zigzag(first - v) + 1);
  });
  const attributes = made.attributes || [[]];
  const texts = [''];
  const text = (t) => texts.push(t) - 1;
  const flat = attributes.flat();
  const streams = {
    picture: null,
    nodes: {
      node_kind: ['u8', nodes.map((n) => n.kind || 0)], node_op: ['varint', nodes.map((n) => id(n.op))],
      node_domain: ['varint', nodes.map(() => 0)], node_class: ['u8', nodes.map(() => 0)],
      node_attrs: ['varint', nodes.map((n) => n.attrs || 0)], node_in: ['varint', nodes.map((n) => (n.inputs || []).length)],
      node_control: ['varint', nodes.map(() => 0)], node_own: ['varint', nodes.map((n) => (n.own || []).length)],
      node_out: ['varint', nodes.map((n) => (n.outputs || []).length)], node_inputs: ['varint', inputs],
      ...(made.diff ? { node_state: ['u8', nodes.map((n) => n.state || 0)], node_changes: ['varint', nodes.map((n) => n.changes || 0)] } : {}),
    },
    names: { node_name: ['front', nodes.map((n) => n.name || '')] },
    values: { value_name: ['front', valueNames] },
    types: { value_type: ['varint', valueTypes], value_tensor: ['varint', valueTensors] },
    attributes: { list_count: ['varint', attributes.map((l) => l.length)], attr_name: ['varint', flat.map((a) => text(a[0]))],
      attr_text: ['varint', flat.map((a) => text(a[1]))], attr_texts: ['text', texts] },
  };
  if (made.tensors) {
    const t = made.tensors;
    const words = [''];
    const word = (text) => (words.includes(text) ? words.indexOf(text) : words.push(text) - 1);
    streams.tensors = {
      tensor_name: ['front', t.map((a) => a.name)], tensor_dtype: ['varint', t.map((a) => word(a.dtype))],
      tensor_shape: ['varint', t.map((a) => word(a.shape))], tensor_bytes: ['varint', t.map((a) => a.bytes)],
      tensor_role: ['u8', t.map(() => 0)], tensor_file: ['varint', t.map(() => 0)], tensor_offset: ['varint', t.map((a) => a.offset || 0)], tensor_words: ['text', words],
      ...(t[0].stats ? {
        tensor_has_stats: ['u8', t.map((a) => (a.stats ? 1 : 0))],
        ...Object.fromEntries(['min', 'max', 'mean', 'deviation', 'low', 'bin_width'].map((k) => ['tensor_' + k, ['f64', t.map((a) => a.stats[k])]])),
        ...Object.fromEntries(['zeros', 'nans', 'infinities'].map((k) => ['tensor_' + k, ['varint', t.map((a) => a.stats[k] || 0)]])),
        tensor_bins: ['varint', t.flatMap((a) => a.stats.bins)],
      } : {}),
    };
  }
  if (made.numbers)
    streams.overlay = { node_number: ['f32', made.numbers] };
  streams.picture = { strings: ['text', strings], ...column };
  const countOf = (name) => (column[name] ? column[name][1].length : 0);
  const header = {
    version: 1, generator: 'made for a test', title: made.title, format: 'onnx', format_title: 'ONNX model', dialect: 'onnx',
    file: { name: made.title, size: made.size || 1234 }, summary: made.summary || [['inputs', 'x float32 [1, 3]']],
    counts: { nodes: nodes.length, ops: nodes.length, blocks: made.blocks.length, items: countOf('item_block'),
      edges: countOf('edge_from'), values: valueNames.length, tensors: (made.tensors || []).length, shown: made.blocks[0].items.length },
    classes: CLASSES, kinds: KINDS, diff: made.diff || null, overlay: made.overlay || null,
  };
  return encodePage(head, tail, header, streams);
}
