// cases.mjs - pictures made by hand, as madePage() takes them

// Boxes below each other, joined by lines.
function column(items) {
  let y = 12;
  items.forEach((item, k) => {
    Object.assign(item, { w: item.w || 150, h: item.detail ? 44 : 30, y, layer: k });
    item.x = 12 + (220 - item.w) / 2;
    y += item.h + 44;
  });
  return items.map((_, k) => ({ from: k, to: k + 1, label: k ? 'float32 [1, 8]' : '' })).slice(1);
}

const HOSTILE = '</' + 'script><img src=x onerror=alert(1)>\u202e\u0000';

// Input, a layer that occurs 24 times, an If with a body, output.
export function layers() {
  const block = (kind, items, more) => {
    const edges = column(items);
    return { kind, items, edges, ...more };
  };
  const blocks = [
    block('graph', [
      { label: 'x', class: 1 },
      { label: 'layer', block: 1, repeat: 24 },
      { label: 'If', block: 2, class: 9 },
      { label: HOSTILE, class: 3, detail: '8 x 8' },
      { label: 'y', class: 1 },
    ]),
    block('scope', [
      { label: 'MatMul', class: 3, detail: '8 x 8' },
      { label: 'Add', class: 8 },
      { label: 'Relu', class: 5 },
    ]),
    block('op', [{ label: 'If', class: 9 }, { label: 'then_branch', block: 3 }], { lead: true }),
    block('body', [{ label: 'Mul', class: 8 }, { label: 'Sub', class: 8 }]),
  ];
  blocks[1].edges.push({ from: 1, to: 3, label: 'float32 [1, 8]', lane: 220 }, { from: 0, to: 1, label: 'x' });
  const nodes = [{ name: 'x', kind: 1, outputs: [{ name: 'x', type: 'float32 [1, 8]' }] }];
  let value = 0;
  const chain = (name, op, attrs, own = []) => {
    nodes.push({ name, op, attrs, inputs: [value, ...own.map((_, k) => value + 1 + k)], own, outputs: [{ name: name + ':0', type: 'float32 [1, 8]' }] });
    value += own.length + 1;
  };
  for (let k = 0; k < 24; k++) {
    chain(`layer${k}/matmul`, 'MatMul', 1, [{ name: `layer${k}/w`, type: 'float32 [8, 8]', tensor: k + 1 }]);
    chain(`layer${k}/add`, 'Add');
    chain(`layer${k}/relu`, 'Relu');
  }
  chain('cond', 'If');
  chain('cond/then/mul', 'Mul');
  chain('cond/then/sub', 'Sub');
  chain(HOSTILE, HOSTILE, 2);
  nodes.push({ name: 'y', kind: 2, inputs: [value] });
  const bins = Array.from({ length: 32 }, (_, k) => Math.round(100 * Math.exp(-((k - 16) ** 2) / 40)));
  const tensors = Array.from({ length: 24 }, (_, k) => ({ name: `layer${k}/w`, dtype: 'float32', shape: '[8, 8]', bytes: 256, offset: 100 + 256 * k,
    stats: { min: -1.5, max: 1.25, low: -1.5, bin_width: 0.125, mean: 0.01, deviation: 0.4, zeros: 3, bins } }));
  return { title: 'layers.onnx', blocks, nodes, tensors, attributes: [[], [['transA', '0'], ['transB', '1']], [[HOSTILE, HOSTILE]]] };
}

export function overlay() {
  const made = layers();
  return { ...made, overlay: { label: 'ms', min: 0, max: 10, count: 10 }, numbers: made.nodes.map((_, k) => (k % 7 === 0 ? NaN : (k % 11))) };
}

export function diff() {
  const made = layers();
  made.diff = { added: 1, removed: 1, changed: 2, changes: [['~ input x', 'float32 [1] \u2192 float32 [2]']] };
  made.blocks[0].items[1].state = 4;
  made.blocks[0].items[3].state = 3;
  made.blocks[1].items[1].state = 1;
  made.blocks[1].items[2].state = 2;
  made.nodes[2].state = 1;
  made.nodes[3].state = 2;
  made.nodes[made.nodes.length - 2].state = 3;
  made.attributes = [...(made.attributes || [[]]), [['axis', '-1 \u2192 1']]];
  made.nodes[made.nodes.length - 2].changes = made.attributes.length - 1;
  return made;
}

export function tensors() {
  const item = (label, x, y, w, h, more) => ({ label, x, y, w, h, detail: 'float32 [4, 4]', class: 2, ...more });
  const blocks = [
    { kind: 'tensors', width: 1000, height: 700, items: [item('encoder', 0, 0, 600, 700, { block: 1 }), item('bias', 600, 0, 400, 300), item('head', 600, 300, 400, 400)] },
    { kind: 'tensors', width: 600, height: 700, items: [item('w', 0, 0, 600, 350), item('v', 0, 350, 300, 350), item('u', 300, 350, 300, 350)] },
  ];
  const names = ['encoder.w', 'encoder.v', 'encoder.u', 'bias', 'head'];
  return { title: 'weights.safetensors', blocks, nodes: names.map((name, k) => ({ name, kind: 4, own: [{ name, type: 'float32 [4, 4]', tensor: k + 1 }] })),
    tensors: names.map((name, k) => ({ name, dtype: k % 2 ? 'float16' : 'float32', shape: '[4, 4]', bytes: 64 * (k + 1) })) };
}

// A file of words alone.
export function nothing() {
  return { title: 'words.gguf', blocks: [{ kind: 'tensors', width: 1000, height: 700, items: [], edges: [] }], nodes: [] };
}

// A block that begins far right of its middle.
export function wide() {
  const item = (label, x, layer) => ({ label, class: 3, x, y: 12 + 74 * layer, w: 150, h: 30, layer });
  const inner = [item('first', 2600, 0), ...[1, 2, 3, 4].map((k) => item(`step ${k}`, 2600 - 640 * k, k))];
  return { title: 'wide.onnx', blocks: [
    { kind: 'graph', items: [{ ...item('wide', 12, 0), block: 1 }], edges: [] },
    { kind: 'scope', width: 2762, height: 400, items: inner, edges: [1, 2, 3, 4].map((k) => ({ from: k, to: k + 1 })) },
  ], nodes: inner.map(({ label }, k) => ({ name: label, op: label, inputs: k ? [k - 1] : [], outputs: [{ name: `v${k}`, type: '' }] })) };
}

// Inputs above the middle of an open block, which begins far right of it.
export function aside() {
  const made = wide();
  const input = (label, x) => ({ label, class: 1, x, y: 12, w: 150, h: 30, layer: 0 });
  made.blocks[0] = { kind: 'graph', items: [input('left', 1200), input('right', 1400), { ...made.blocks[0].items[0], x: 1300, y: 86, layer: 1, open: 1 }],
    edges: [{ from: 1, to: 3 }, { from: 2, to: 3 }] };
  made.nodes.forEach((node) => { node.inputs = node.inputs.map((value) => value + 2); });
  made.nodes.unshift(...['left', 'right'].map((name) => ({ name, kind: 1, outputs: [{ name, type: '' }] })));
  return made;
}

// A long chain: the small map is beside it.
export function chain() {
  const items = Array.from({ length: 40 }, (_, k) => ({ label: `step ${k}`, class: 3, w: 480 }));
  const edges = column(items);
  items.forEach((item) => { item.x = 8; });
  return { title: 'chain.onnx', blocks: [{ kind: 'graph', width: 496, items, edges }],
    nodes: items.map(({ label }, k) => ({ name: label, op: label, inputs: k ? [k - 1] : [], outputs: [{ name: `v${k}`, type: '' }] })) };
}

// Operators that are equal but for their names: one box.
export function equal() {
  const names = ['first', 'second', 'third', 'fourth'];
  const items = [{ label: 'x', class: 1 }, { label: 'Relu', class: 5, repeat: names.length }];
  return { title: 'equal.onnx', blocks: [{ kind: 'graph', items, edges: column(items) }],
    nodes: [{ name: 'x', kind: 1, outputs: [{ name: 'x', type: '' }] }, ...names.map((name, k) => ({ name, op: 'Relu', inputs: [k], outputs: [{ name: name + ':0', type: '' }] }))] };
}

// Each box is lower than the one before, and further right.
export function stairs() {
  const items = Array.from({ length: 30 }, (_, k) => ({ label: `step ${k}`, class: 3, x: 12 + 90 * k, y: 12 + 60 * k, w: 80, h: 30, layer: k }));
  return { title: 'stairs.onnx', blocks: [{ kind: 'graph', items, edges: items.slice(1).map((_, k) => ({ from: k + 1, to: k + 2 })) }],
    nodes: items.map(({ label }, k) => ({ name: label, op: label, inputs: k ? [k - 1] : [], outputs: [{ name: `v${k}`, type: '' }] })) };
}

// A graph of `count` nodes, nothing of it folded, in blocks of `most` items.
export function large(count, most = 1000) {
  const kinds = ['MatMul', 'Add', 'Relu', 'Mul', 'Conv', 'Reshape'];
  const classes = [3, 8, 5, 8, 3, 7];
  const blocks = [{ kind: 'graph', items: [], edges: [] }];
  const nodes = [];
  for (let done = 0; done < count; done += most) {
    const size = Math.min(most, count - done);
    const items = Array.from({ length: size }, (_, k) => ({ label: kinds[(done + k) % 6], class: classes[(done + k) % 6], w: 120 + 20 * ((done + k) % 3) }));
    blocks.push({ kind: 'scope', items, edges: column(items) });
    blocks[0].items.push({ label: `part ${blocks.length - 1}`, block: blocks.length - 1 });
    for (let k = 0; k < size; k++)
      nodes.push({ name: `part${blocks.length - 1}/node${done + k}`, op: kinds[(done + k) % 6], inputs: done + k ? [done + k - 1] : [],
        outputs: [{ name: `part${blocks.length - 1}/node${done + k}:0`, type: 'float32 [1, 8]' }] });
  }
  if (blocks.length === 2) {
    blocks[0] = { ...blocks.pop(), kind: 'graph' };
  } else {
    blocks[0].edges = column(blocks[0].items);
  }
  return { title: `large-${count}.onnx`, blocks, nodes };
}
