// model.js - the columns of the data, and how blocks, items and nodes relate
//
// A block is stored once, however many copies of it there are.  A node is a
// position: the number of nodes before it in a walk of the hierarchy.

import { readStream, readHeader, decodeSection, padded } from './stream.js';

export async function openModel() {
  const bytes = await readStream('picture');
  if (!bytes)
    throw new Error('this page has no model in it');
  const { header, end } = readHeader(bytes);
  return new Model(header, bytes, end);
}

export class Model {
  constructor(header, bytes, end) {
    this.header = header;
    this.streams = new Map(); // name -> promise of nothing
    this.raw = new Map(); // name of a section -> { section, bytes }
    this.columns = new Map();
    this.keep(header.streams.indexOf('picture'), bytes, end);
    this.kinds = header.kinds;
    this.classes = header.classes;
    this.strings = this.column('strings');
    this.nodeCount = header.counts.nodes;
    this.measure();
  }

  keep(stream, bytes, at) {
    for (const section of this.header.sections) {
      if (section.stream !== stream)
        continue;
      this.raw.set(section.name, { section, bytes: bytes.subarray(at, at + section.bytes) });
      at += padded(section.bytes);
    }
  }

  // Resolves when the columns of a stream can be asked for.
  need(...names) {
    return Promise.all(names.map((name) => {
      const index = this.header.streams.indexOf(name);
      if (name === 'picture' || index < 0)
        return null;
      if (!this.streams.has(name))
        this.streams.set(name, readStream(name).then((bytes) => bytes && this.keep(index, bytes, 0)));
      return this.streams.get(name);
    }));
  }

  has(name) {
    return this.raw.has(name);
  }

  column(name) {
    let column = this.columns.get(name);
    if (!column) {
      const found = this.raw.get(name);
      if (!found)
        return null;
      column = decodeSection(found.section, found.bytes);
      this.columns.set(name, column);
    }
    return column;
  }

  label(id) {
    return this.strings.get(id);
  }

  measure() {
    this.blockKind = this.column('block_kind');
    this.blockSize = this.column('block_size');
    this.blockLead = this.column('block_lead');
    this.blockHome = this.column('block_home');
    this.blockCaller = this.column('block_caller');
    this.blockWidth = this.column('block_width');
    this.blockHeight = this.column('block_height');
    this.inner = this.column('item_block');
    this.offset = this.column('item_offset');
    this.repeat = this.column('item_repeat');
    this.x = this.column('item_x');
    this.y = this.column('item_y');
    this.w = this.column('item_w');
    this.h = this.column('item_h');
    this.itemLabel = this.column('item_label');
    this.itemDetail = this.column('item_detail');
    this.itemClass = this.column('item_class');
    this.itemOpen = this.column('item_open');
    this.itemState = this.column('item_state');
    this.firstItem = sums(this.column('block_items'));
    this.firstEdge = sums(this.column('block_edges'));
    this.homes = [];
    for (let b = 0; b < this.blockHome.length; b++)
      if (this.blockHome[b])
        this.homes.push(b);
    this.homes.sort((a, b) => this.blockHome[a] - this.blockHome[b]);
  }

  kindOf(block) {
    return this.kinds[this.blockKind[block]];
  }

  itemCount(block) {
    return this.firstItem[block + 1] - this.firstItem[block];
  }

  edgeCount(block) {
    return this.firstEdge[block + 1] - this.firstEdge[block];
  }

  // The block an item opens into, or -1.  Items are numbered over all blocks.
  blockOf(item) {
    return this.inner[item] || -1;
  }

  sizeOf(item) {
    const block = this.blockOf(item);
    return block < 0 ? 1 : this.blockHome[block] ? 0 : this.blockSize[block];
  }

  get isTreemap() {
    return this.kindOf(0) === 'tensors';
  }

  // Where copy `copy` of an item begins, in a block that begins at `start`.
  startOf(item, start, copy) {
    const block = this.blockOf(item);
    if (block >= 0 && this.blockHome[block])
      return this.blockHome[block] - 1;
    return start + this.offset[item] + copy * this.sizeOf(item);
  }

  // The node that an item stands for, or -1: a scope stands for none.
  nodeOf(item, start, copy) {
    const block = this.blockOf(item);
    return block < 0 || this.blockLead[block] ? this.startOf(item, start, copy) : -1;
  }

  // The way from the root to a node: [{ item, copy }, ...].  It ends at the item
  // that stands for the node.
  pathOf(position) {
    const home = this.homeOf(position);
    if (home < 0)
      return this.descend(0, 0, position);
    const inside = this.descend(home, this.blockHome[home] - 1, position);
    const above = this.wayTo(home);
    return above ? above.concat(inside) : inside;
  }

  homeOf(position) {
    let low = 0;
    let high = this.homes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.blockHome[this.homes[middle]] - 1 <= position)
        low = middle + 1;
      else
        high = middle;
    }
    for (let k = low - 1; k >= 0; k--) {
      const block = this.homes[k];
      if (position < this.blockHome[block] - 1 + this.blockSize[block])
        return block;
    }
    return -1;
  }

  // The way to the body of a function: through the first node that calls it,
  // or through the block that shows it.
  wayTo(home) {
    const caller = this.blockCaller[home];
    if (caller && this.homeOf(caller - 1) !== home) {
      const path = this.pathOf(caller - 1);
      // An operator with its constants may stand around the call.
      for (let item = path[path.length - 1].item; item >= 0;) {
        const block = this.blockOf(item);
        if (block < 0)
          break;
        if (block === home)
          return path;
        const inner = this.findItem(block, home);
        item = inner >= 0 ? inner : this.firstItem[block];
        path.push({ item, copy: 0 });
      }
    }
    return this.wayUp(home, 0); // nothing calls it
  }

  // The way to a block through the first item that opens it, and so on upwards.
  wayUp(block, depth) {
    if (block === 0)
      return [];
    if (!this.hosts) {
      this.hosts = new Int32Array(this.blockKind.length).fill(-1);
      for (let i = this.inner.length - 1; i >= 0; i--)
        this.hosts[this.inner[i]] = i;
    }
    const item = this.hosts[block];
    if (item < 0 || depth > 64)
      return null;
    let low = 0;
    let high = this.blockKind.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.firstItem[middle + 1] <= item)
        low = middle + 1;
      else
        high = middle;
    }
    const above = this.wayUp(low, depth + 1);
    return above && [...above, { item, copy: 0 }];
  }

  findItem(block, child) {
    if (block >= 0)
      for (let i = this.firstItem[block]; i < this.firstItem[block + 1]; i++)
        if (this.inner[i] === child)
          return i;
    return -1;
  }

  descend(block, start, position) {
    const path = [];
    for (;;) {
      const item = this.itemAt(block, position - start);
      if (item < 0)
        return path;
      const inner = this.blockOf(item);
      const size = this.sizeOf(item);
      const copy = size ? Math.floor((position - start - this.offset[item]) / size) : 0;
      path.push({ item, copy });
      start = this.startOf(item, start, copy);
      if (inner < 0 || this.blockHome[inner] || (this.blockLead[inner] && start === position))
        return path;
      block = inner;
    }
  }

  // The last item that begins at or before an offset, and is not empty.
  itemAt(block, offset) {
    let low = this.firstItem[block];
    let high = this.firstItem[block + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.offset[middle] <= offset)
        low = middle + 1;
      else
        high = middle;
    }
    let item = low - 1;
    while (item >= this.firstItem[block] && this.sizeOf(item) === 0)
      item--;
    return item >= this.firstItem[block] ? item : -1;
  }

  // ---- nodes, once their streams are there --------------------------------

  name(position) {
    return this.column('node_name').get(position);
  }

  operator(position) {
    return this.label(this.column('node_op')[position]);
  }

  // First own value, first output and first value of the next node.
  values(position) {
    const sums = this.valueSums();
    const own = this.column('node_own')[position];
    return { own: sums[position], outputs: sums[position] + own, end: sums[position + 1] };
  }

  valueSums() {
    if (!this.valueStarts) {
      const own = this.column('node_own');
      const out = this.column('node_out');
      const at = new Uint32Array(own.length + 1);
      for (let i = 0; i < own.length; i++)
        at[i + 1] = at[i] + own[i] + out[i];
      this.valueStarts = at;
    }
    return this.valueStarts;
  }

  inputSums() {
    if (!this.inputStarts)
      this.inputStarts = sums(this.column('node_in'));
    return this.inputStarts;
  }

  // The values a node takes; -1 is one that was left out.
  inputs(position) {
    const at = this.inputSums();
    const coded = this.column('node_inputs');
    const first = this.values(position).outputs;
    const out = [];
    for (let k = at[position]; k < at[position + 1]; k++)
      out.push(coded[k] ? first - unzigzag(coded[k] - 1) : -1);
    return out;
  }

  // The node that numbers a value: its producer, or the one that owns it.
  nodeOfValue(value) {
    const at = this.valueSums();
    let low = 0;
    let high = at.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at[middle + 1] <= value)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  isOutput(value, position) {
    const { outputs, end } = this.values(position);
    return value >= outputs && value < end;
  }

  // Nodes that take any value of a node, at most `limit`, in order.
  consumers(position, limit) {
    this.indexConsumers();
    const { own, end } = this.values(position);
    const out = [];
    for (let value = own; value < end; value++)
      for (let k = this.useStarts[value]; k < this.useStarts[value + 1] && out.length < limit; k++)
        out.push({ value, node: this.useNodes[k] });
    return out;
  }

  indexConsumers() {
    if (this.useStarts)
      return;
    const starts = this.inputSums();
    const coded = this.column('node_inputs');
    const own = this.column('node_own');
    const valueAt = this.valueSums();
    const total = valueAt[valueAt.length - 1];
    const uses = new Uint32Array(total + 2);
    const each = (visit) => {
      for (let node = 0; node < own.length; node++) {
        const first = valueAt[node] + own[node];
        for (let k = starts[node]; k < starts[node + 1]; k++)
          if (coded[k])
            visit(first - unzigzag(coded[k] - 1), node);
      }
    };
    each((value) => { uses[value + 2]++; });
    for (let v = 2; v < uses.length; v++)
      uses[v] += uses[v - 1];
    this.useNodes = new Uint32Array(uses[uses.length - 1]);
    each((value, node) => { this.useNodes[uses[value + 1]++] = node; });
    this.useStarts = uses;
  }

  // The first output of a node often has the name of the node: it is stored once.
  valueName(value) {
    const name = this.column('value_name').get(value);
    if (name || !this.has('node_name'))
      return name;
    const node = this.nodeOfValue(value);
    return value === this.values(node).outputs ? this.name(node) : '';
  }

  valueType(value) {
    return this.label(this.column('value_type')[value]);
  }

  // A word about a tensor: 'dtype', 'shape', 'file' or 'hash'.
  tensorWord(name, tensor) {
    return this.column('tensor_words').get(this.column('tensor_' + name)[tensor]);
  }

  attributes(position) {
    return this.listOf('node_attrs', position);
  }

  // What differs in a node, in a diff: names and texts, like attributes.
  changes(position) {
    return this.listOf('node_changes', position);
  }

  listOf(column, position) {
    const list = (this.column(column) || [])[position];
    const count = this.column('list_count');
    if (!list || !count)
      return [];
    if (!this.listStarts)
      this.listStarts = sums(count);
    const names = this.column('attr_name');
    const texts = this.column('attr_text');
    const strings = this.column('attr_texts');
    const out = [];
    for (let k = this.listStarts[list]; k < this.listStarts[list + 1]; k++)
      out.push([strings.get(names[k]), strings.get(texts[k])]);
    return out;
  }
}

export function sums(counts) {
  const out = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; i++)
    out[i + 1] = out[i] + counts[i];
  return out;
}

export function unzigzag(n) {
  return n % 2 ? -(n + 1) / 2 : n / 2;
}
