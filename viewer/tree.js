// tree.js - the outline: the same blocks and nodes as an ARIA tree
//
// Rows are counted, not listed: a block with a million items is a number.  What
// is open in the tree is open in the picture.

import { VirtualList } from './list.js';
import { visible, countText } from './textfit.js';
import { paletteOf, STATE_SIGNS, STATE_WORDS } from './palette.js';

export class Tree {
  constructor(scene, container) {
    this.scene = scene;
    this.model = scene.model;
    this.container = container;
    this.isOwn = false; // the change of the selection comes from here
    this.list = new VirtualList(container, 26, {
      role: 'treeitem', count: () => this.rowsOf(scene.root), fill: (index, element) => this.fill(index, element),
    });
    this.list.onActive = (id) => (id ? container.setAttribute('aria-activedescendant', id) : container.removeAttribute('aria-activedescendant'));
    container.addEventListener('click', (event) => this.click(event));
    container.addEventListener('dblclick', (event) => this.expand(this.list.indexOf(event)));
    container.addEventListener('keydown', (event) => this.key(event));
    container.addEventListener('focus', () => this.list.active < 0 && this.list.rows.count() && this.list.activate(0));
    scene.on('shape', () => this.refresh());
    scene.on('select', () => this.follow());
  }

  // Called when the outline is shown: names are read only now.
  async show() {
    this.isShown = true;
    this.refresh();
    await this.model.need('nodes', 'names');
    this.refresh();
    this.follow();
  }

  refresh() {
    if (!this.isShown)
      return;
    for (const frame of this.scene.root.frames())
      frame.rowCount = undefined;
    this.list.refresh();
    this.follow();
  }

  // ---- rows and places --------------------------------------------------------

  openItems(frame) {
    return [...frame.open].filter(([, child]) => !child.isFolded).sort((a, b) => a[0] - b[0]);
  }

  rowsOf(frame) {
    if (frame.rowCount === undefined)
      frame.rowCount = this.openItems(frame).reduce((sum, [, child]) => sum + this.rowsOf(child), this.model.itemCount(frame.block));
    return frame.rowCount;
  }

  placeOf(index, frame = this.scene.root, level = 1) {
    let item = this.model.firstItem[frame.block];
    for (const [open, child] of this.openItems(frame)) {
      if (index <= open - item)
        break;
      const inside = index - (open - item) - 1;
      if (inside < this.rowsOf(child))
        return this.placeOf(inside, child, level + 1);
      index = inside - this.rowsOf(child);
      item = open + 1;
    }
    return { frame, item: item + index, level };
  }

  rowOf(frame, item) {
    let row = item - this.model.firstItem[frame.block];
    for (const [open, child] of this.openItems(frame))
      if (open < item)
        row += this.rowsOf(child);
    return frame.parent ? this.rowOf(frame.parent, frame.item) + 1 + row : row;
  }

  // ---- a row --------------------------------------------------------------------

  fill(index, element) {
    const { model, scene } = this;
    const { frame, item, level } = this.placeOf(index);
    const child = frame.open.get(item);
    const copies = model.repeat[item];
    element.setAttribute('aria-level', level);
    element.setAttribute('aria-setsize', model.itemCount(frame.block));
    element.setAttribute('aria-posinset', item - model.firstItem[frame.block] + 1);
    if (frame.canOpen(item))
      element.setAttribute('aria-expanded', String(Boolean(child && !child.isFolded)));
    element.style.paddingLeft = 8 + Math.min(level - 1, 12) * 14 + 'px';
    const arrow = part('span', 'arrow', frame.canOpen(item) ? (child && !child.isFolded ? '\u25be' : '\u25b8') : '');
    arrow.setAttribute('aria-hidden', 'true');
    const dot = part('span', 'dot', '');
    const colours = paletteOf(scene.isDark).classes[model.itemClass[item]] || paletteOf(scene.isDark).classes[0];
    dot.style.background = colours[0];
    dot.style.borderColor = colours[1];
    element.append(arrow, dot);
    const state = model.itemState ? model.itemState[item] : 0;
    if (state) {
      const sign = part('span', 'state', STATE_SIGNS[state]);
      sign.setAttribute('role', 'img');
      sign.setAttribute('aria-label', STATE_WORDS[state]);
      element.append(sign);
    }
    element.append(part('span', 'what', visible(scene.labelOf(item))));
    if (copies > 1)
      element.append(part('span', 'times', child || frame.copyOf(item) ? `${countText(frame.copyOf(item) + 1)} of ${countText(copies)}` : `\u00d7 ${countText(copies)}`));
    const node = scene.nodeOf({ frame, item });
    if (node >= 0 && model.has('node_name') && model.name(node) !== scene.labelOf(item))
      element.append(part('span', 'name', visible(model.name(node))));
  }

  // ---- what users do --------------------------------------------------------------

  click(event) {
    const index = this.list.indexOf(event);
    if (index < 0)
      return;
    if (event.target.classList.contains('arrow'))
      this.expand(index);
    else
      this.choose(index);
  }

  choose(index) {
    const { frame, item } = this.placeOf(index);
    this.isOwn = true;
    this.list.activate(index);
    this.scene.select({ frame, item });
    this.scene.showSelected();
    this.scene.moved();
    this.isOwn = false;
  }

  expand(index) {
    if (index < 0)
      return;
    const { frame, item } = this.placeOf(index);
    const child = frame.open.get(item);
    if (child && !child.isFolded)
      this.scene.close(frame, item);
    else
      this.scene.open(frame, item);
    this.list.activate(index);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey)
      return;
    const count = this.list.rows.count();
    const at = Math.max(0, this.list.active);
    const page = Math.max(1, Math.floor(this.container.clientHeight / 26) - 1);
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1, PageDown: at + page, PageUp: at - page };
    if (event.key in moves)
      this.choose(Math.max(0, Math.min(count - 1, moves[event.key])));
    else if (event.key === 'ArrowRight')
      this.inward(at);
    else if (event.key === 'ArrowLeft')
      this.outward(at);
    else if (event.key === 'Enter' || event.key === ' ')
      this.expand(at);
    else
      return;
    event.preventDefault();
    event.stopPropagation();
  }

  inward(index) {
    const { frame, item } = this.placeOf(index);
    const child = frame.open.get(item);
    if (child && !child.isFolded)
      this.choose(index + 1);
    else if (frame.canOpen(item))
      this.expand(index);
  }

  outward(index) {
    const { frame, item } = this.placeOf(index);
    const child = frame.open.get(item);
    if (child && !child.isFolded)
      this.expand(index);
    else if (frame.parent)
      this.choose(this.rowOf(frame.parent, frame.item));
  }

  // Something was selected elsewhere.
  follow() {
    const { selected } = this.scene;
    if (!this.isShown || this.isOwn || !selected || !this.scene.isAlive(selected.frame))
      return;
    for (let frame = selected.frame; frame.parent; frame = frame.parent)
      if (frame.isFolded)
        return; // drawn, but not unfolded here
    this.list.activate(this.rowOf(selected.frame, selected.item));
  }
}

function part(tag, name, text) {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  return element;
}
