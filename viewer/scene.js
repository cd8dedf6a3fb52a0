// scene.js - what is shown: open blocks, the camera, the selection
//
// Everything that changes the picture goes through here; the other files ask
// for it and listen to `change`.

import { Frame, HEAD, STEPS } from './frame.js';
import { Grid, EdgeRows } from './grid.js';
import { Camera } from './camera.js';
import { Painter } from './draw.js';
import { TreemapPainter } from './treemap.js';
import { paletteOf } from './palette.js';
import { countText } from './textfit.js';
import { cornerOf } from './corner.js';

const STEP_REACH = 26; // of each arrow
const READABLE = 0.8; // a zoom at which all text can be read
const LEGIBLE = 0.6; // the zoom that a first view does not go below
const MOST_COUNTED = 4000; // boxes, for a first view

export class Scene {
  constructor(model, canvas) {
    this.model = model;
    this.canvas = canvas;
    this.ctx = canvas.getContext('2d');
    this.root = new Frame(model, 0, null, -1, 0);
    this.camera = new Camera();
    this.grids = new Map();
    this.edgeRows = new Map();
    this.selected = null; // { frame, item }
    this.hovered = null;
    this.overlay = null;
    this.isDark = false;
    this.listeners = new Map();
    this.covers = []; // each tells what part of the screen something lies over, or null
    this.painter = model.isTreemap ? new TreemapPainter(this, this.ctx) : new Painter(this, this.ctx);
    this.stubs = [];
    this.openFirst();
  }

  openFirst() {
    if (this.model.isTreemap)
      return;
    this.root.openFirst();
    this.root.place(0, 0);
  }

  // ---- events: 'draw', 'select', 'shape' (what is open), 'camera' ----------

  on(event, listener) {
    if (!this.listeners.has(event))
      this.listeners.set(event, []);
    this.listeners.get(event).push(listener);
  }

  emit(event) {
    for (const listener of this.listeners.get(event) || [])
      listener();
  }

  // ---- what things are called ----------------------------------------------

  labelOf(item) {
    return this.model.label(this.model.itemLabel[item]) || '(no name)';
  }

  sizeText(block) {
    const size = this.model.blockSize[block];
    return `${countText(size)} ${this.model.isTreemap ? 'tensor' : 'node'}${size === 1 ? '' : 's'}`;
  }

  nodeOf({ frame, item }) {
    return this.model.nodeOf(item, frame.start, frame.copyOf(item));
  }

  // Tensors are coloured by their type, once that is known.
  tensorClass(frame, item) {
    if (!this.tensorClasses)
      return this.model.itemClass[item];
    return this.tensorClasses(this.model.startOf(item, frame.start, 0));
  }

  gridOf(block) {
    if (!this.grids.has(block))
      this.grids.set(block, new Grid(this.model, block));
    return this.grids.get(block);
  }

  edgesOf(block) {
    if (!this.edgeRows.has(block))
      this.edgeRows.set(block, new EdgeRows(this.model, block));
    return this.edgeRows.get(block);
  }

  // ---- drawing --------------------------------------------------------------

  redraw() {
    if (this.isWaiting)
      return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.drawNow();
    });
  }

  drawNow() {
    const { canvas, ctx, camera } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(camera.width * ratio));
    const height = Math.max(1, Math.round(camera.height * ratio));
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const palette = paletteOf(this.isDark);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = palette.paper;
    ctx.fillRect(0, 0, width, height);
    const scale = this.model.isTreemap ? ratio : ratio * camera.zoom;
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    this.stubs = this.painter.paint(camera, palette);
    this.emit('draw');
  }

  resize(width, height) {
    const centre = this.camera.toWorld(this.camera.width / 2, this.camera.height / 2);
    const isFirst = this.camera.width <= 1 || this.isWholeMap;
    this.camera.width = width;
    this.camera.height = height;
    if (isFirst)
      this.showFirst();
    else
      this.camera.centre(centre.x, centre.y);
    this.redraw();
  }

  // ---- the camera -----------------------------------------------------------

  // Areas keep their proportions to each other in any shape: all of them have
  // that of the screen.
  get world() {
    const h = this.mapShape ? this.mapShape * this.root.width : this.root.height;
    return { x: 0, y: 0, w: Math.max(1, this.root.width), h: Math.max(1, h) };
  }

  get isWholeMap() {
    return this.model.isTreemap && this.camera.zoom === this.wholeZoom;
  }

  get leastZoom() {
    const { camera, world } = this;
    return Math.min(0.5, 0.8 * Math.min(camera.width / world.w, camera.height / world.h));
  }

  // All of it if that can be read; else its top, as wide as fits.
  showFirst() {
    if (this.model.isTreemap) {
      this.fit();
      return;
    }
    const { camera, world } = this;
    camera.fit(world, 40, 1.15);
    if (camera.zoom >= READABLE)
      return;
    camera.zoom = Math.max(camera.zoom, Math.min(1, Math.max(LEGIBLE, (camera.width - 60) / world.w)));
    camera.centre(world.w / 2, world.h / 2);
    if (world.h * camera.zoom > camera.height - 56)
      camera.y = -28 / camera.zoom;
    if (world.w * camera.zoom > camera.width)
      camera.x = this.firstCentre() - camera.width / camera.zoom / 2;
    else
      this.leaveCorner();
  }

  // The middle of what a wide graph begins with: of a block that fits, or of the
  // first boxes of the graph or of an open block; the first of them where the
  // screen shows about as many boxes as it can.
  firstCentre() {
    const { camera } = this;
    const [whole, first] = [[], []];
    for (let frame = this.root; frame; frame = frame.open.values().next().value) {
      first.push(this.topCentre(frame));
      if (frame.parent && frame.width * camera.zoom < camera.width)
        whole.push(frame.left + frame.width / 2);
    }
    const centres = [...whole.slice(0, 1), ...first];
    const counts = centres.map((x) => this.countInView({ ...camera.view, x: x - camera.width / camera.zoom / 2 }));
    const most = Math.max(...counts);
    return centres[counts.findIndex((count) => count >= 0.75 * most)];
  }

  // How many closed boxes are in a part of the world, whole.
  countInView(view) {
    let count = 0;
    let left = MOST_COUNTED;
    for (const frame of this.root.frames()) {
      const { left: low, top, right, bottom } = frame.part(view);
      for (const item of this.gridOf(frame.block).find(low, top, right, bottom, left).items) {
        const box = frame.box(item);
        left--;
        if (!frame.open.has(item) && box.x >= view.x && box.y >= view.y && box.x + box.w <= view.x + view.w && box.y + box.h <= view.y + view.h)
          count++;
      }
      if (left <= 0)
        break;
    }
    return count;
  }

  // A graph that has room beside the small map does not begin behind it.
  leaveCorner() {
    const { camera, world } = this;
    const map = cornerOf(camera, world);
    if (map && world.w * camera.zoom <= map.x && camera.toScreen(world.w, 0).x > map.x)
      camera.x = world.w - map.x / camera.zoom;
  }

  // The middle of the first boxes: the top of a wide block may be anywhere.
  topCentre(frame) {
    const boxes = this.topBoxes(frame);
    return boxes.length ? boxes.reduce((sum, box) => sum + box.x + box.w / 2, 0) / boxes.length : frame.left + frame.width / 2;
  }

  topBoxes(frame) {
    const { model } = this;
    const [first, end] = [model.firstItem[frame.block], model.firstItem[frame.block + 1]];
    let top = Infinity;
    for (let item = first; item < end; item++)
      top = Math.min(top, model.y[item]);
    const boxes = [];
    for (let item = first; item < end && boxes.length < 8; item++)
      if (model.y[item] <= top + 4)
        boxes.push(frame.box(item));
    return boxes;
  }

  fit() {
    const { camera, model } = this;
    if (model.isTreemap) {
      this.mapShape = Math.min(2.5, Math.max(0.3, (camera.height - 24) / Math.max(1, camera.width - 24)));
      camera.fit(this.world, 12, 4);
      this.wholeZoom = camera.zoom;
    } else {
      camera.fit(this.world, 32, 1.15);
    }
    this.moved();
  }

  moved() {
    this.keepInView();
    this.emit('camera');
    this.redraw();
  }

  // The graph cannot be lost: some of it always stays on the screen.
  keepInView() {
    const { camera, world } = this;
    const edge = 80 / camera.zoom;
    const view = camera.view;
    camera.x = Math.min(Math.max(camera.x, world.x - view.w + edge), world.x + world.w - edge);
    camera.y = Math.min(Math.max(camera.y, world.y - view.h + edge), world.y + world.h - edge);
  }

  pan(dx, dy) {
    this.camera.panBy(dx, dy);
    this.moved();
  }

  zoom(factor, sx = this.camera.width / 2, sy = this.camera.height / 2) {
    this.camera.zoomAt(factor, sx, sy, this.leastZoom);
    this.moved();
  }

  // ---- opening and closing ---------------------------------------------------

  toggle(frame, item, pointer) {
    if (frame.open.has(item))
      this.close(frame, item, pointer);
    else
      this.open(frame, item);
  }

  open(frame, item) {
    if (!frame.canOpen(item))
      return null;
    const existing = frame.open.get(item);
    if (existing) {
      existing.isFolded = false;
      this.shapeChanged();
      return existing;
    }
    const before = frame.box(item);
    const child = frame.openItem(item);
    if (!this.model.isTreemap) {
      child.recompose();
      this.anchor(before, frame.box(item));
      this.showTop(child);
    }
    this.shapeChanged();
    return child;
  }

  close(frame, item, pointer) {
    const child = frame.open.get(item);
    if (!child)
      return;
    if (this.model.isTreemap) {
      child.isFolded = true;
      this.shapeChanged();
      return;
    }
    const head = this.headOf(child, this.camera);
    frame.open.delete(item);
    if (this.selected && !this.isAlive(this.selected.frame))
      this.select({ frame, item });
    frame.recompose();
    const after = frame.box(item);
    this.anchor(head, after);
    if (pointer)
      this.bringUnder(pointer, after);
    this.shapeChanged();
  }

  // The header that was pressed stays where it was on the screen.
  anchor(before, after) {
    this.camera.x += after.x + after.w / 2 - before.x - before.w / 2;
    this.camera.y += after.y - before.y;
  }

  // A block may be much wider than its box was: if none of what it begins with
  // is on the screen, the picture moves sideways.
  showTop(child) {
    const { camera } = this;
    const { x, w } = camera.view;
    const boxes = this.topBoxes(child);
    if (boxes.length && !boxes.some((box) => box.x >= x && box.x + box.w <= x + w))
      camera.x = this.topCentre(child) - w / 2;
  }

  bringUnder(pointer, box) {
    const at = this.camera.toWorld(pointer.x, pointer.y);
    const inset = Math.min(16, box.w / 2);
    if (at.x < box.x + inset)
      this.camera.x += box.x + inset - at.x;
    else if (at.x > box.x + box.w - inset)
      this.camera.x -= at.x - box.x - box.w + inset;
  }

  isAlive(frame) {
    for (; frame.parent; frame = frame.parent)
      if (frame.parent.open.get(frame.item) !== frame)
        return false;
    return frame === this.root;
  }

  closeAll() {
    this.root.open.clear();
    this.root.copies.clear();
    this.openFirst();
    this.select(null);
    this.showFirst();
    this.shapeChanged();
  }

  shapeChanged() {
    this.hovered = null;
    this.emit('shape');
    this.moved();
  }

  // Another copy of an item that repeats: names change, boxes do not.
  step({ frame, item }, way) {
    const copies = this.model.repeat[item];
    frame.setCopy(item, (frame.copyOf(item) + way + copies) % copies);
    this.emit('shape');
    this.emit('select');
    this.redraw();
  }

  // ---- selection --------------------------------------------------------------

  isSelected(frame, item) {
    return this.selected !== null && this.selected.frame === frame && this.selected.item === item;
  }

  isHovered(frame, item) {
    return this.hovered !== null && this.hovered.frame === frame && this.hovered.item === item;
  }

  select(place) {
    this.selected = place;
    this.emit('select');
    this.redraw();
  }

  hover(place) {
    const same = place === this.hovered || (place && this.hovered && this.isHovered(place.frame, place.item));
    this.hovered = place;
    if (!same)
      this.redraw();
  }

  // Opens all blocks on the way, selects the end of it and shows it.
  goTo(path) {
    if (!path || !path.length)
      return;
    let frame = this.root;
    for (const { item, copy } of path.slice(0, -1)) {
      const child = frame.openItem(item, copy);
      if (!child)
        break;
      frame.setCopy(item, copy);
      child.isFolded = false;
      frame = child;
    }
    const last = path[path.length - 1];
    const isHere = last.item >= this.model.firstItem[frame.block] && last.item < this.model.firstItem[frame.block + 1];
    if (!this.model.isTreemap)
      frame.recompose();
    this.emit('shape');
    this.selected = isHere ? { frame, item: last.item } : null;
    if (isHere)
      frame.setCopy(last.item, last.copy);
    this.showSelected();
    this.emit('select');
    this.moved();
  }

  goToNode(position) {
    this.goTo(this.model.pathOf(position));
  }

  showSelected() {
    if (!this.selected || this.model.isTreemap)
      return;
    const { frame, item } = this.selected;
    const child = frame.open.get(item);
    const box = child ? this.headOf(child, null) : frame.box(item);
    if (this.camera.zoom < 0.5)
      this.camera.zoom = READABLE;
    const screen = this.camera.toScreen(box.x, box.y);
    const isNear = screen.x > -this.camera.width && screen.y > -this.camera.height &&
      screen.x < 2 * this.camera.width && screen.y < 2 * this.camera.height;
    const above = frame.depth * HEAD; // headers may lie over it
    if (isNear)
      this.camera.reveal({ ...box, y: box.y - above, h: box.h + above }, 60);
    if (!isNear || this.isCovered(box))
      this.bringOut(box);
  }

  // Whether the small map, matches of a search or the like are in front of a box.
  isCovered(box) {
    const at = this.camera.toScreen(box.x, box.y);
    const [w, h] = [box.w * this.camera.zoom, box.h * this.camera.zoom];
    return this.covers.some((placeOf) => {
      const c = placeOf();
      return c && at.x < c.x + c.w && at.x + w > c.x && at.y < c.y + c.h && at.y + h > c.y;
    });
  }

  // To the middle of the screen; if that is covered, to a place near it that is not.
  bringOut(box) {
    const { camera } = this;
    for (const [right, down] of [[0, 0], [0, 0.25], [-0.25, 0.25], [-0.25, 0], [0, 0]]) {
      camera.centre(box.x + box.w / 2 - (right * camera.width) / camera.zoom, box.y + box.h / 2 - (down * camera.height) / camera.zoom);
      if (!this.isCovered(box))
        return;
    }
  }

  // ---- places on the screen ------------------------------------------------------

  // The header of an open block; while the block is scrolled through, at the top.
  headOf(child, camera) {
    const box = child.parent.box(child.item);
    const head = { x: box.x, y: box.y, w: box.w, h: HEAD, isStuck: false };
    if (camera && camera.zoom >= 0.4) {
      const least = camera.y + this.stuckAbove(child, camera) * HEAD;
      head.isStuck = box.y < least;
      head.y = Math.max(box.y, Math.min(least, box.y + box.h - HEAD));
    }
    return head;
  }

  // How far the title of a header is from its left end: it stays in view.
  insetOf(child, head) {
    const title = 40 + 8.4 * Math.min(24, this.labelOf(child.item).length);
    const room = head.w - title - (this.model.repeat[child.item] > 1 ? STEPS : 0);
    return Math.max(0, Math.min(this.camera.x + 4 / this.camera.zoom - head.x, room));
  }

  // How many headers around a block are kept at the top of the screen.
  stuckAbove(child, camera) {
    if (!child.parent.parent)
      return 0;
    const above = this.stuckAbove(child.parent, camera);
    return above + (child.parent.parent.box(child.parent.item).y < camera.y + above * HEAD ? 1 : 0);
  }

  // Where the arrows of "3 of 24" are, or null.
  stepsOf(child, head) {
    if (this.model.repeat[child.item] < 2)
      return null;
    const right = head.x + head.w - 6;
    return { left: right - STEPS + 12, right, y: head.y, h: head.h };
  }

  // What is at a point of the screen: { part, frame, item }, or null.
  hit(sx, sy) {
    if (this.model.isTreemap)
      return this.painter.hit(sx, sy);
    const { x, y } = this.camera.toWorld(sx, sy);
    for (const stub of this.stubs)
      if (inRect(stub, x, y))
        return { part: 'stub', frame: stub.frame, item: stub.item, edge: stub.edge, self: stub.self };
    return this.hitFrame(this.root, x, y);
  }

  hitFrame(frame, x, y) {
    for (const [item, child] of frame.open) {
      const head = this.headOf(child, this.camera);
      if (inRect(head, x, y))
        return this.hitHead(frame, item, child, head, x);
      if (inRect(frame.box(item), x, y))
        return this.hitFrame(child, x, y) || { part: 'inside', frame, item };
    }
    const { left, right, top } = frame.part({ x, y, w: 0, h: 0 });
    for (const item of this.gridOf(frame.block).find(left - 400, top - 4, right + 400, top + 4, Infinity).items)
      if (!frame.open.has(item) && inRect(frame.box(item), x, y))
        return { part: x < frame.box(item).x + 24 && frame.canOpen(item) ? 'chevron' : 'box', frame, item };
    return null;
  }

  hitHead(frame, item, child, head, x) {
    const steps = this.stepsOf(child, head);
    if (steps && (x > steps.right - STEP_REACH || (x > steps.left && x < steps.left + STEP_REACH)))
      return { part: x < (steps.left + steps.right) / 2 ? 'before' : 'after', frame, item, child };
    const at = head.x + this.insetOf(child, head);
    return { part: x >= at && x < at + 27 ? 'chevron' : 'head', frame, item, child };
  }
}

function inRect(r, x, y) {
  return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}
