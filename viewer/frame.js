// frame.js - blocks that are open, and where their boxes are
//
// A frame is one open block at one place in the hierarchy.  It knows which of its
// items are open, too, and composes its layout of the block's own and of theirs.

import { Rows, WarpY } from './warp.js';

export const HEAD = 30; // height of the header of an open block
export const PAD = 12; // left, right and below
export const PAD_TOP = 14; // below the header: ends of cut lines are there
export const STEPS = 124; // width of "3 of 24" with its arrows

export class Frame {
  constructor(model, block, parent, item, copy) {
    this.model = model;
    this.block = block;
    this.parent = parent;
    this.item = item;
    this.copy = copy;
    this.open = new Map(); // item -> Frame
    this.copies = new Map(); // item that is closed -> which of its copies is meant, if not the first
    this.depth = parent ? parent.depth + 1 : 0;
    this.left = 0; // of its content, in the world; set by place()
    this.top = 0;
    this.compose();
  }

  // The position of its first node.  It follows the copies that are shown.
  get start() {
    return this.parent ? this.model.startOf(this.item, this.parent.start, this.copy) : 0;
  }

  compose() {
    const { model } = this;
    const across = [];
    const down = [];
    for (const [item, child] of this.open) {
      const x = model.x[item];
      const y = model.y[item];
      across.push({ from: x, to: x + model.w[item], width: Math.max(model.w[item], child.outerWidth), top: y, bottom: y + model.h[item] });
      down.push({ from: y, to: y + model.h[item], grow: Math.max(0, child.outerHeight - model.h[item]) });
    }
    this.rows = new Rows(across, model.blockWidth[this.block]);
    this.warpY = new WarpY(down);
    this.width = this.rows.width;
    this.height = this.warpY.at(model.blockHeight[this.block]);
  }

  // A header has room for its title, and for "3 of 24" right of its middle.
  get outerWidth() {
    const { model } = this;
    const letters = Math.min(40, model.label(model.itemLabel[this.item]).length);
    const title = 44 + 8.4 * letters;
    const least = model.repeat[this.item] > 1 ? Math.max(STEPS + title, 2 * STEPS + 12) : title;
    return Math.max(this.width + 2 * PAD, least);
  }

  get outerHeight() {
    return this.height + HEAD + PAD_TOP + PAD;
  }

  // The box of an item, in the world.
  box(item) {
    const { model } = this;
    const child = this.open.get(item);
    const w = child ? Math.max(model.w[item], child.outerWidth) : model.w[item];
    const h = child ? child.outerHeight : model.h[item];
    const row = this.rows.rowOf(model.y[item], model.y[item] + model.h[item]);
    const centre = this.rows.at(model.x[item] + model.w[item] / 2, row);
    return { x: this.left + centre - w / 2, y: this.top + this.warpY.at(model.y[item]), w, h };
  }

  // What a line in a lane passes by at which x: rows with open items alone.
  turnsOf(lane, top, bottom) {
    return this.rows.between(top, bottom).map((row) => ({
      x: this.left + this.rows.at(lane, row),
      top: this.top + this.warpY.at(row.top),
      bottom: this.top + this.warpY.at(row.bottom + 1) - 1,
    }));
  }

  // The part of the block that is in a rectangle of the world.
  part({ x, y, w, h }) {
    const { left, right } = this.rows.span(x - this.left, x + w - this.left);
    return { left, right, top: this.warpY.back(y - this.top), bottom: this.warpY.back(y + h - this.top) };
  }

  // After a change: sizes from here to the root, then places from the root.
  recompose() {
    for (let frame = this; frame; frame = frame.parent)
      frame.compose();
    this.root.place(0, 0);
  }

  get root() {
    let frame = this;
    while (frame.parent)
      frame = frame.parent;
    return frame;
  }

  place(left, top) {
    this.left = left;
    this.top = top;
    for (const [item, child] of this.open) {
      const box = this.box(item);
      child.place(box.x + (box.w - child.width) / 2, box.y + HEAD + PAD_TOP);
    }
  }

  // Which copy of an item that repeats is shown, or meant where it is closed.
  copyOf(item) {
    const child = this.open.get(item);
    return child ? child.copy : this.copies.get(item) || 0;
  }

  setCopy(item, copy) {
    const child = this.open.get(item);
    if (child)
      child.copy = copy;
    this.copies.set(item, copy);
  }

  openItem(item, copy = this.copyOf(item)) {
    let child = this.open.get(item);
    const block = this.model.blockOf(item);
    if (!child && block >= 0 && !this.isInside(block)) {
      child = new Frame(this.model, block, this, item, copy);
      this.open.set(item, child);
    }
    return child;
  }

  // A function that calls itself is not opened inside itself.
  isInside(block) {
    for (let frame = this; frame; frame = frame.parent)
      if (frame.block === block)
        return true;
    return false;
  }

  canOpen(item) {
    const block = this.model.blockOf(item);
    return block >= 0 && this.model.itemCount(block) > 0 && !this.isInside(block);
  }

  // The way from the root, as model.pathOf() returns it.
  get path() {
    return this.parent ? [...this.parent.path, { item: this.item, copy: this.copy }] : [];
  }

  // Opens what the data says is open at first, here and inside.
  openFirst() {
    const { model, block } = this;
    if (model.itemOpen)
      for (let item = model.firstItem[block]; item < model.firstItem[block + 1]; item++)
        if (model.itemOpen[item] && this.canOpen(item))
          this.openItem(item).openFirst();
    this.compose();
  }

  *frames() {
    yield this;
    for (const child of this.open.values())
      yield* child.frames();
  }
}
