// panel.js - the details of what is selected, or of the model
//
// Everything that comes from the model becomes a text node.

import { visible, countText, bytesText } from './textfit.js';
import { paletteOf, STATE_WORDS, STATE_SIGNS } from './palette.js';

const MOST_ROWS = 60; // of a list; a button shows the rest
const MOST_TENSORS = 2000; // of a block
const NODE_KINDS = ['operator', 'input', 'output', 'shared weights', 'tensor'];
const ROLES = ['constant', 'attribute', 'variable', 'sparse indices', 'sparse values', 'state'];

// An element with text and children; strings become text nodes.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    element.setAttribute(name, value);
  element.append(...children.filter((c) => c !== null && c !== undefined));
  return element;
}

export class Panel {
  constructor(scene, container) {
    this.scene = scene;
    this.model = scene.model;
    this.container = container;
    scene.on('select', () => { this.shown = this.show(); });
    scene.on('shape', () => this.toggled());
    this.show();
  }

  async show() {
    const turn = (this.turn = (this.turn || 0) + 1);
    const { selected } = this.scene;
    const needed = selected ? ['nodes', 'names', 'values', 'types', 'attributes', 'tensors', 'overlay'] : [];
    const isReady = needed.every((name) => !this.model.header.streams.includes(name) || this.isRead(name));
    if (!isReady) {
      await this.model.need(...needed);
      needed.forEach((name) => this.read.add(name));
    }
    if (turn !== this.turn)
      return; // something else was selected meanwhile
    this.container.replaceChildren(...(selected ? this.details(selected) : this.summary()).filter(Boolean));
    this.container.parentElement.scrollTop = 0;
  }

  isRead(name) {
    this.read = this.read || new Set();
    return this.read.has(name);
  }

  // ---- the model ------------------------------------------------------------------

  summary() {
    const { header } = this.model;
    const out = [make('h2', {}, breakable(visible(header.title))), make('p', { class: 'kind' }, visible(header.format_title || header.format || ''))];
    const rows = header.summary || [];
    if (rows.length)
      out.push(this.table(rows));
    if (header.diff?.changes?.length)
      out.push(this.section('Changes', [this.table(header.diff.changes)]));
    if (this.model.nodeCount)
      out.push(this.model.isTreemap ? this.dtypes() : this.classKey());
    return out;
  }

  // The meaning of colours, for those that occur.
  classKey() {
    const { model, scene } = this;
    const used = new Set(model.itemClass);
    const list = make('ul', { class: 'key' });
    const colours = paletteOf(scene.isDark).classes;
    model.classes.forEach((name, k) => {
      if (used.has(k) && colours[k])
        list.append(make('li', {}, swatch(colours[k]), visible(name)));
    });
    return make('section', {}, make('h3', {}, 'Colours'), list);
  }

  dtypes() {
    const list = make('ul', { class: 'key' });
    for (const { name, colours, count } of this.scene.dtypeKey || [])
      list.append(make('li', {}, swatch(colours), `${visible(name)} (${countText(count)})`));
    return make('section', {}, make('h3', {}, 'Types'), list);
  }

  // ---- what is selected -----------------------------------------------------------

  details(place) {
    const { model, scene } = this;
    const node = scene.nodeOf(place);
    const state = model.itemState ? model.itemState[place.item] : 0;
    const out = [this.crumbs(place)];
    if (node < 0)
      out.push(...this.blockDetails(place));
    else
      out.push(...this.nodeDetails(node, place));
    if (model.repeat[place.item] > 1)
      out.splice(1, 0, this.stepper(place));
    if (state)
      out.splice(1, 0, make('p', { class: 'state' }, `${STATE_SIGNS[state]} ${STATE_WORDS[state]}`));
    return out;
  }

  // The way to it; every step can be gone to.
  crumbs({ frame }) {
    const list = make('ol', { class: 'crumbs', 'aria-label': 'Path' });
    const frames = [];
    for (let f = frame; f; f = f.parent)
      frames.unshift(f);
    for (const f of frames) {
      const text = f.parent ? this.scene.labelOf(f.item) + (this.model.repeat[f.item] > 1 ? ` ${f.copy + 1}` : '') : this.model.header.title;
      const button = make('button', { type: 'button', class: 'link' }, visible(text));
      button.addEventListener('click', () => {
        if (!f.parent)
          this.scene.select(null);
        else {
          this.scene.select({ frame: f.parent, item: f.item });
          this.scene.showSelected();
          this.scene.moved();
        }
      });
      list.append(make('li', {}, button));
    }
    return list;
  }

  // Which of several equal boxes this is; the others are a step away.
  stepper({ frame, item }) {
    const { scene, model } = this;
    const button = (way, text, label) => {
      const element = make('button', { type: 'button', class: 'icon', 'aria-label': label, title: label }, text);
      element.addEventListener('click', async () => {
        scene.step({ frame, item }, way);
        await this.shown;
        this.container.querySelector(`.steps [aria-label="${label}"]`)?.focus();
      });
      return element;
    };
    return make('p', { class: 'steps' }, button(-1, '\u2039', 'Previous copy'),
      `${countText(frame.copyOf(item) + 1)} of ${countText(model.repeat[item])}`, button(1, '\u203a', 'Next copy'));
  }

  blockDetails({ frame, item }) {
    const { model, scene } = this;
    const block = model.blockOf(item);
    const start = model.startOf(item, frame.start, frame.copyOf(item));
    const words = { scope: 'scope', fold: 'folded nodes', body: 'subgraph', function: 'function', tensors: 'tensors', op: 'operator', graph: 'graph' };
    const out = [make('h2', {}, breakable(visible(scene.labelOf(item)))), make('p', { class: 'kind' }, words[model.kindOf(block)] || model.kindOf(block))];
    const rows = [[model.isTreemap ? 'tensors' : 'nodes', countText(model.blockSize[block])]];
    const bytes = this.bytesIn(start, model.blockSize[block]);
    if (bytes)
      rows.push(['weights', bytesText(bytes)]);
    rows.push(...this.overlayRows(start, model.blockSize[block]));
    out.push(this.table(rows), this.toggleButton(frame, item));
    out.push(model.isTreemap ? this.tensorsIn(start, model.blockSize[block]) : this.operators(start, model.blockSize[block]));
    return out;
  }

  toggleButton(frame, item) {
    if (!frame.canOpen(item) || this.model.isTreemap)
      return null;
    const button = make('button', { type: 'button', class: 'wide' });
    this.toggle = { button, frame, item };
    this.toggled();
    button.addEventListener('click', () => {
      this.scene.toggle(frame, item);
      this.show();
    });
    return button;
  }

  // Tensors inside, with their types and shapes.
  tensorsIn(start, size) {
    const { model } = this;
    const rows = Array.from({ length: Math.min(size, MOST_TENSORS) }, (_, k) => {
      const row = this.jump(start + k, '');
      const id = model.column('value_tensor')[model.values(start + k).own] - 1;
      if (id >= 0)
        row.append(make('div', { class: 'type' }, `${model.tensorWord('dtype', id)} ${model.tensorWord('shape', id)}`));
      return row;
    });
    if (size > MOST_TENSORS)
      rows.push(make('li', { class: 'muted' }, `and ${countText(size - MOST_TENSORS)} more`));
    return this.section('Tensors', [this.shortList(rows, 'values')]);
  }

  // The block may also be opened and closed in the picture or the outline.
  toggled() {
    if (this.toggle)
      this.toggle.button.textContent = this.toggle.frame.open.has(this.toggle.item) ? 'Close this block' : 'Open this block';
  }

  // Operators inside, most frequent first.
  operators(start, size) {
    const ops = this.model.column('node_op');
    const counts = new Map();
    for (let i = start; i < start + size; i++)
      if (ops[i])
        counts.set(ops[i], (counts.get(ops[i]) || 0) + 1);
    if (!counts.size)
      return null;
    const rows = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([op, n]) => [this.model.label(op), countText(n)]);
    return make('section', {}, make('h3', {}, 'Operators'), this.table(rows));
  }

  bytesIn(start, size) {
    const { model } = this;
    const tensors = model.column('value_tensor');
    const bytes = model.column('tensor_bytes');
    if (!tensors || !bytes)
      return 0;
    const at = model.valueSums();
    let sum = 0;
    for (let v = at[start]; v < at[start + size]; v++)
      if (tensors[v])
        sum += bytes[tensors[v] - 1];
    return sum;
  }

  overlayRows(start, size) {
    const overlay = this.scene.overlay;
    if (!overlay)
      return [];
    const { sum, count, most } = overlay.rangeOf(start, size);
    if (!count)
      return [[overlay.label, 'none']];
    return size === 1 ? [[overlay.label, numberText(sum)]] :
      [[`${overlay.label}, sum`, numberText(sum)], [`${overlay.label}, mean`, numberText(sum / count)], [`${overlay.label}, most`, numberText(most)]];
  }

  nodeDetails(node, { frame, item }) {
    const { model, scene } = this;
    const kind = model.column('node_kind')[node];
    const operator = model.operator(node);
    const domain = model.label(model.column('node_domain')[node]);
    const out = [make('h2', {}, visible(operator || model.name(node) || scene.labelOf(item))),
      make('p', { class: 'kind' }, NODE_KINDS[kind] + (domain ? ` of ${visible(domain)}` : ''))];
    const rows = [];
    if (model.name(node))
      rows.push(['name', model.name(node)]);
    rows.push(...this.overlayRows(node, 1));
    if (rows.length)
      out.push(this.table(rows));
    out.push(this.toggleButton(frame, item));
    const changes = model.changes(node);
    if (changes.length)
      out.push(this.section('Changes', [this.table(changes)]));
    const attributes = model.attributes(node);
    if (attributes.length)
      out.push(this.section('Attributes', [this.table(attributes)]));
    out.push(this.inputs(node), this.outputs(node));
    const { own, outputs } = model.values(node);
    for (let v = own; v < outputs; v++)
      out.push(this.tensor(v));
    return out;
  }

  section(title, children) {
    return make('section', {}, make('h3', {}, title), ...children);
  }

  // The values a node takes, with the nodes they come from.
  inputs(node) {
    const { model } = this;
    const control = model.column('node_control')[node];
    const values = model.inputs(node);
    if (!values.length)
      return null;
    const items = values.map((value, k) => {
      if (value < 0)
        return make('li', { class: 'muted' }, 'left out');
      const source = model.nodeOfValue(value);
      const isOwn = source === node && !model.isOutput(value, node);
      return this.valueLine(value, isOwn ? [] : [source], k >= values.length - control ? 'after' : 'from');
    });
    return this.section(values.length === 1 ? 'Input' : `Inputs (${countText(values.length)})`, [this.shortList(items, 'values')]);
  }

  outputs(node) {
    const { model } = this;
    const { outputs, end } = model.values(node);
    if (end === outputs)
      return null;
    const uses = new Map();
    for (const { value, node: user } of model.consumers(node, 2000))
      uses.set(value, [...(uses.get(value) || []), user]);
    const items = [];
    for (let v = outputs; v < end; v++)
      items.push(this.valueLine(v, [...new Set(uses.get(v) || [])], 'to'));
    return this.section(items.length === 1 ? 'Output' : `Outputs (${countText(items.length)})`, [this.shortList(items, 'values')]);
  }

  valueLine(value, nodes, word) {
    const { model } = this;
    const line = make('li', {}, make('div', { class: 'name' }, breakable(visible(model.valueName(value)) || '(no name)')));
    const type = model.valueType(value);
    if (type)
      line.append(make('div', { class: 'type' }, visible(type)));
    if (nodes.length)
      line.append(this.shortList(nodes.map((n) => this.jump(n, word)), 'jumps'));
    return line;
  }

  jump(node, word) {
    const { model } = this;
    const text = visible(model.operator(node) || NODE_KINDS[model.column('node_kind')[node]]);
    const name = visible(model.name(node));
    const button = make('button', { type: 'button', class: 'link' }, text);
    button.addEventListener('click', () => this.scene.goToNode(node));
    return make('li', {}, word ? word + ' ' : '', button, name && name !== text ? make('div', { class: 'name' }, breakable(name)) : null);
  }

  shortList(items, name) {
    const list = make('ul', { class: name }, ...items.slice(0, MOST_ROWS));
    if (items.length > MOST_ROWS) {
      const more = make('button', { type: 'button', class: 'link' }, `${countText(items.length - MOST_ROWS)} more`);
      more.addEventListener('click', () => list.replaceChildren(...items));
      list.append(make('li', {}, more));
    }
    return list;
  }

  // ---- tensors -----------------------------------------------------------------------

  tensor(value) {
    const { model } = this;
    const id = model.column('value_tensor')[value] - 1;
    if (id < 0)
      return null;
    const rows = [['name', model.column('tensor_name').get(id)], ['type', `${model.tensorWord('dtype', id)} ${model.tensorWord('shape', id)}`],
      ['size', bytesText(model.column('tensor_bytes')[id])], ['role', ROLES[model.column('tensor_role')[id]] || '']];
    const offset = model.column('tensor_offset')[id];
    if (offset)
      rows.push(['stored', `${model.tensorWord('file', id) || model.header.file.name}, byte ${countText(offset - 1)}`]);
    if (model.has('tensor_hash') && model.tensorWord('hash', id))
      rows.push(['SHA-256', model.tensorWord('hash', id)]);
    const parts = [this.table(rows)];
    const known = model.column('tensor_has_stats');
    if (known && known[id])
      parts.push(...this.statistics(id));
    return this.section('Tensor', parts);
  }

  statistics(id) {
    const { model } = this;
    const of = (name) => model.column('tensor_' + name)[id];
    const rows = [['minimum', numberText(of('min'))], ['maximum', numberText(of('max'))], ['mean', numberText(of('mean'))],
      ['deviation', numberText(of('deviation'))], ['zeros', countText(of('zeros'))]];
    for (const [name, word] of [['nans', 'NaN'], ['infinities', 'infinite']])
      if (of(name))
        rows.push([word, countText(of(name))]);
    const bins = model.column('tensor_bins').subarray(id * 32, id * 32 + 32);
    let used = bins.length; // bins are of round widths, so the last ones may lie beyond the maximum
    while (used > 1 && !bins[used - 1])
      used--;
    const low = of('low');
    return [this.table(rows), histogram(bins.subarray(0, used), low, low + used * of('bin_width'))];
  }

  table(rows) {
    const body = make('tbody');
    const all = rows.map(([key, value]) => make('tr', {}, make('th', { scope: 'row' }, breakable(visible(String(key)))), make('td', {}, ...cell(String(value)))));
    body.append(...all.slice(0, MOST_ROWS));
    if (all.length > MOST_ROWS) {
      const more = make('button', { type: 'button', class: 'link' }, `${countText(all.length - MOST_ROWS)} more`);
      more.addEventListener('click', () => body.replaceChildren(...all));
      body.append(make('tr', {}, make('td', { colspan: '2' }, more)));
    }
    return make('table', {}, body);
  }
}

// A name and its type, with two spaces between them, are two lines.
function cell(value) {
  const at = value.indexOf('  ');
  if (at <= 0 || !/^  [a-z0-9 ]*(\[[^\]]*\])?$/.test(value.slice(at)))
    return [longText(visible(value))];
  return [make('div', {}, longText(visible(value.slice(0, at)))), make('div', { class: 'type' }, visible(value.slice(at + 2)))];
}

// Long values are cut; a button shows the rest.
function longText(text) {
  if (text.length <= 400)
    return breakable(text);
  const span = make('span', {}, text.slice(0, 300) + '\u2026 ');
  const more = make('button', { type: 'button', class: 'link' }, 'all');
  more.addEventListener('click', () => span.replaceChildren(text.slice(0, 100000)));
  span.append(more);
  return span;
}

// Names break where their parts end.
function breakable(text) {
  const out = document.createDocumentFragment();
  for (const part of text.split(/(?<=[_./:\-])/))
    out.append(part, document.createElement('wbr'));
  return out;
}

export function swatch([fill, stroke]) {
  const element = make('span', { class: 'swatch', 'aria-hidden': 'true' });
  element.style.background = fill;
  element.style.borderColor = stroke;
  return element;
}

export function numberText(n) {
  if (!Number.isFinite(n))
    return String(n);
  return Math.abs(n) >= 1e6 || (n !== 0 && Math.abs(n) < 1e-4) ? n.toExponential(4) : String(Number(n.toPrecision(6)));
}

const SVG = 'http://www.w3.org/2000/svg';

function histogram(bins, low, high) {
  const most = Math.max(1, ...bins);
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 256 72');
  const step = 256 / bins.length;
  svg.setAttribute('class', 'histogram');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `Histogram from ${numberText(low)} to ${numberText(high)}`);
  bins.forEach((count, k) => {
    const bar = document.createElementNS(SVG, 'rect');
    const height = count ? Math.max(1, (68 * count) / most) : 0;
    for (const [name, value] of [['x', k * step + 0.5], ['y', 72 - height], ['width', step - 1], ['height', height]])
      bar.setAttribute(name, value);
    svg.append(bar);
  });
  return make('figure', {}, svg, make('figcaption', {}, make('span', {}, numberText(low)), make('span', {}, numberText(high))));
}
