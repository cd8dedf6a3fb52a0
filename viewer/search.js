// search.js - finds nodes by name, operator, type or shape
//
// Names lie in one array of bytes, so a search is one pass over bytes, however
// many nodes there are.  Letters of ASCII match in both cases.

import { VirtualList } from './list.js';
import { visible, countText } from './textfit.js';

const LOWER = Uint8Array.from({ length: 256 }, (_, c) => (c >= 65 && c <= 90 ? c + 32 : c));

// 1 for every string that contains the needle.
export function matchTexts(texts, needle) {
  const { bytes, ends, count } = texts;
  const found = new Uint8Array(count);
  const first = needle[0];
  const size = needle.length;
  for (let i = 0; i < count; i++) {
    const last = ends[i + 1] - size;
    for (let at = ends[i]; at <= last; at++) {
      if (LOWER[bytes[at]] !== first)
        continue;
      let k = 1;
      while (k < size && LOWER[bytes[at + k]] === needle[k])
        k++;
      if (k === size) {
        found[i] = 1;
        break;
      }
    }
  }
  return found;
}

// Positions of all nodes that match, in order.  All words must match somewhere.
export function findNodes(model, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length)
    return new Uint32Array(0);
  const marks = new Uint8Array(model.nodeCount);
  for (const word of words)
    markNodes(model, new TextEncoder().encode(word), marks);
  let count = 0;
  for (let i = 0; i < marks.length; i++)
    if (marks[i] === words.length)
      count++;
  const out = new Uint32Array(count);
  for (let i = 0, k = 0; i < marks.length; i++)
    if (marks[i] === words.length)
      out[k++] = i;
  return out;
}

// Adds 1 to the mark of every node that a word is found in.
function markNodes(model, needle, marks) {
  const names = matchTexts(model.column('node_name'), needle);
  const strings = matchTexts(model.strings, needle);
  const values = matchTexts(model.column('value_name'), needle);
  const ops = model.column('node_op');
  const types = model.column('value_type');
  const starts = model.valueSums();
  for (let i = 0; i < marks.length; i++) {
    let isFound = names[i] || strings[ops[i]];
    for (let v = starts[i]; !isFound && v < starts[i + 1]; v++)
      isFound = values[v] || strings[types[v]];
    if (isFound)
      marks[i]++;
  }
}

export class Search {
  constructor(scene, said) {
    this.scene = scene;
    this.said = said;
    this.input = document.getElementById('query');
    this.box = document.getElementById('found');
    this.status = document.getElementById('hit-count');
    this.hits = new Uint32Array(0);
    const hits = document.getElementById('hits');
    this.list = new VirtualList(hits, 40, { role: 'option', count: () => this.hits.length, fill: (index, element) => this.fill(index, element) });
    this.list.onActive = (id) => (id ? this.input.setAttribute('aria-activedescendant', id) : this.input.removeAttribute('aria-activedescendant'));
    this.input.addEventListener('input', () => this.soon());
    this.input.addEventListener('focus', () => this.input.value && this.show(true));
    this.input.addEventListener('keydown', (event) => this.key(event));
    hits.addEventListener('mousedown', (event) => event.preventDefault()); // the focus stays
    hits.addEventListener('click', (event) => this.choose(this.list.indexOf(event)));
    document.addEventListener('pointerdown', (event) => {
      if (!document.getElementById('finder').contains(event.target))
        this.show(false);
    });
    this.input.addEventListener('blur', () => this.show(false));
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.run(), this.scene.model.nodeCount > 50000 ? 160 : 40);
  }

  async run() {
    const { model } = this.scene;
    const query = this.input.value;
    if (!query.trim()) {
      this.hits = new Uint32Array(0);
      this.show(false);
      return;
    }
    if (!model.has('value_name')) {
      this.status.textContent = 'Reading names';
      this.show(true);
    }
    await model.need('nodes', 'names', 'values', 'types');
    if (query !== this.input.value)
      return;
    this.hits = findNodes(model, query);
    this.query = query;
    this.status.textContent = this.hits.length === 1 ? '1 match' : `${countText(this.hits.length)} matches`;
    this.show(true);
    this.list.active = this.hits.length ? 0 : -1;
    this.list.container.scrollTop = 0;
    this.list.refresh();
    performance.mark('tenon-found');
  }

  show(isShown) {
    this.box.hidden = !isShown;
    const hasHits = isShown && this.hits.length > 0;
    this.list.container.hidden = !hasHits;
    this.input.setAttribute('aria-expanded', String(hasHits));
    if (!hasHits)
      this.input.removeAttribute('aria-activedescendant');
    if (hasHits)
      this.list.refresh();
  }

  fill(index, element) {
    const { model } = this.scene;
    const node = this.hits[index];
    const { outputs, end } = model.values(node);
    const operator = model.operator(node) || ['', 'input', 'output', 'weights', 'tensor'][model.column('node_kind')[node]];
    const top = document.createElement('div');
    const bottom = document.createElement('div');
    top.className = 'what';
    bottom.className = 'name';
    top.textContent = visible(operator);
    const type = end > outputs ? model.valueType(outputs) : '';
    if (type) {
      const shape = document.createElement('span');
      shape.className = 'type';
      shape.textContent = visible(type);
      top.append(' ', shape);
    }
    const value = end > outputs ? model.valueName(outputs) : '';
    bottom.textContent = visible(model.name(node) || value) || `node ${node}`;
    element.append(top, bottom);
  }

  key(event) {
    const { list } = this;
    const count = this.hits.length;
    if (event.key === 'ArrowDown' && count)
      list.activate(Math.min(count - 1, list.active + 1));
    else if (event.key === 'ArrowUp' && count)
      list.activate(Math.max(0, list.active - 1));
    else if (event.key === 'PageDown' && count)
      list.activate(Math.min(count - 1, list.active + 8));
    else if (event.key === 'PageUp' && count)
      list.activate(Math.max(0, list.active - 8));
    else if (event.key === 'Enter')
      this.enter();
    else if (event.key === 'Escape')
      this.leave();
    else
      return;
    event.preventDefault();
    event.stopPropagation();
  }

  leave() {
    if (!this.box.hidden)
      this.show(false);
    else
      this.scene.canvas.focus();
  }

  // Whoever types fast means what was typed, not what was found before.
  async enter() {
    if (this.query !== this.input.value) {
      clearTimeout(this.timer);
      await this.run();
    }
    this.choose(this.list.active);
  }

  // Shows a match.  The list stays, so that the next one is a key away.
  choose(index) {
    if (index < 0 || index >= this.hits.length)
      return;
    this.list.activate(index);
    this.scene.goToNode(this.hits[index]);
    this.said(`${index + 1} of ${this.hits.length}`);
  }
}
