// draw.js - the picture of a graph on a canvas
//
// Only what is in view is drawn, and no more of it than can be seen: far away a
// box is a spot of its colour, nearer it has a border, then its text.

import { FONT_LABEL, FONT_DETAIL, fitText, fontFor, textWidth, countText } from './textfit.js';
import { wireShape, traceWire, traceArrow, touches, crosses, STUB, STUBS, CONTROL } from './wires.js';
import { STATE_SIGNS } from './palette.js';

const MOST_BOXES = 12000; // of one block in one picture
const SPOT = 3; // boxes lower than this many pixels are spots
const PLAIN = 9; // and lower than this have no text
const STUB_TEXT = 150; // width of the text at the end of a cut line
const FINE = 0.62; // labels of lines from this zoom on

// Stubs by the sides of boxes: how many there are, and which is the first.
function cutEnds(shapes) {
  const sides = new Map();
  for (const shape of shapes)
    if (shape.kind === STUBS && shape.from >= 0 && shape.to >= 0)
      for (const key of [`out ${shape.from}`, `in ${shape.to}`]) {
        const side = sides.get(key) || { count: 0, first: shape };
        side.count++;
        sides.set(key, side);
      }
  return sides;
}

export class Painter {
  constructor(scene, ctx) {
    this.scene = scene;
    this.ctx = ctx;
  }

  // Draws all that `camera` sees.  Returns what can be hit besides boxes.
  paint(camera, palette, options = {}) {
    this.camera = camera;
    this.palette = palette;
    this.zoom = camera.zoom;
    this.view = camera.view;
    this.dx = -camera.x;
    this.dy = -camera.y;
    this.plain = options.plain || false; // without marks of what is selected
    this.stubs = [];
    this.taken = [];
    this.ctx.lineJoin = 'round';
    this.ctx.textBaseline = 'middle';
    this.stuck = []; // headers that lie above what their blocks contain
    this.frame(this.scene.root);
    for (const header of this.stuck.reverse()) // outer ones above inner ones
      this.header(...header);
    return this.stubs;
  }

  frame(frame) {
    const { view, scene } = this;
    this.ground = frame.parent ? this.palette.inside[frame.depth % 2] : this.palette.paper;
    const { left, right, top, bottom } = frame.part(view);
    const grid = scene.gridOf(frame.block);
    const found = grid.find(left, top, right, bottom, MOST_BOXES);
    for (const item of frame.open.keys()) // large now: not where the grid has them
      if (!found.items.includes(item))
        found.items.push(item);
    this.openBoxes(frame);
    if (!found.isSample && this.zoom > 0.05)
      this.wires(frame, top - 200, bottom + 200);
    this.boxes(frame, found.items);
    for (const child of frame.open.values())
      if (this.inView(frame.box(child.item)))
        this.frame(child);
  }

  inView(box) {
    const { view } = this;
    return box.x < view.x + view.w && box.x + box.w > view.x && box.y < view.y + view.h && box.y + box.h > view.y;
  }

  // ---- open blocks --------------------------------------------------------

  openBoxes(frame) {
    for (const [item, child] of frame.open) {
      const box = frame.box(item);
      if (!this.inView(box))
        continue;
      const { ctx, palette } = this;
      ctx.beginPath();
      ctx.roundRect(box.x + this.dx, box.y + this.dy, box.w, box.h, 9);
      ctx.fillStyle = palette.inside[child.depth % 2];
      ctx.fill();
      ctx.lineWidth = Math.max(1.2, 0.8 / this.zoom);
      ctx.strokeStyle = palette.frame;
      ctx.stroke();
    }
  }

  // The header of an open block.  It stays in view as long as the block does.
  header(frame, item, child, head) {
    if (head.h * this.zoom < 8 || !this.inView(head))
      return;
    const { ctx, palette } = this;
    const x = head.x + this.dx;
    const y = head.y + this.dy;
    const state = this.stateOf(item);
    if (head.isStuck) {
      ctx.beginPath();
      ctx.roundRect(x + 0.6, y, head.w - 1.2, head.h, 4);
      ctx.fillStyle = palette.inside[child.depth % 2];
      ctx.fill();
      ctx.beginPath();
      ctx.moveTo(x, y + head.h);
      ctx.lineTo(x + head.w, y + head.h);
      ctx.strokeStyle = palette.faint;
      ctx.lineWidth = 1;
      ctx.stroke();
    }
    this.mark(frame, item, { x: head.x, y: head.y, w: head.w, h: head.h }, 9);
    const inset = this.plain ? 0 : this.scene.insetOf(child, head);
    this.chevron(x + inset + 15, y + head.h / 2, true);
    const steps = this.scene.stepsOf(child, head);
    const room = (steps ? steps.left : head.x + head.w - 10) - head.x - inset - 30;
    const font = fontFor(ctx, this.scene.labelOf(item), room);
    const label = fitText(ctx, font, this.scene.labelOf(item), room);
    ctx.font = font;
    ctx.fillStyle = palette.text;
    ctx.textAlign = 'left';
    ctx.fillText(label, x + inset + 27, y + head.h / 2 + 0.5);
    const used = textWidth(ctx, font, label);
    const count = fitText(ctx, FONT_DETAIL, this.scene.sizeText(child.block), room - used - 14);
    ctx.font = FONT_DETAIL;
    ctx.fillStyle = palette.muted;
    if (!count.endsWith('\u2026'))
      ctx.fillText(count, x + inset + 27 + used + 10, y + head.h / 2 + 1);
    if (steps)
      this.stepper(child, steps);
    if (state)
      this.sign(state, x, y);
  }

  stepper(child, steps) {
    const { ctx, palette } = this;
    const y = steps.y + this.dy + steps.h / 2;
    ctx.font = FONT_DETAIL;
    ctx.fillStyle = palette.muted;
    ctx.textAlign = 'center';
    ctx.fillText(`${child.copy + 1} of ${this.scene.model.repeat[child.item]}`, (steps.left + steps.right) / 2 + this.dx, y + 1);
    ctx.textAlign = 'left';
    ctx.strokeStyle = palette.text;
    ctx.lineWidth = 1.6;
    ctx.beginPath();
    for (const [at, way] of [[steps.left + 12, -1], [steps.right - 12, 1]]) {
      ctx.moveTo(at + this.dx - 2.5 * way, y - 5);
      ctx.lineTo(at + this.dx + 2.5 * way, y);
      ctx.lineTo(at + this.dx - 2.5 * way, y + 5);
    }
    ctx.stroke();
  }

  chevron(x, y, isOpen, colour = this.palette.muted) {
    const { ctx } = this;
    ctx.beginPath();
    if (isOpen) {
      ctx.moveTo(x - 4.5, y - 2.2);
      ctx.lineTo(x, y + 2.6);
      ctx.lineTo(x + 4.5, y - 2.2);
    } else {
      ctx.moveTo(x - 2.2, y - 4.5);
      ctx.lineTo(x + 2.6, y);
      ctx.lineTo(x - 2.2, y + 4.5);
    }
    ctx.lineWidth = 1.7;
    ctx.strokeStyle = colour;
    ctx.stroke();
  }

  // ---- boxes --------------------------------------------------------------

  boxes(frame, items) {
    const near = [];
    const spots = new Map(); // colour -> boxes
    for (const item of items) {
      if (frame.open.has(item))
        continue;
      const box = frame.box(item);
      if (!this.inView({ x: box.x - 8, y: box.y - 8, w: box.w + 16, h: box.h + 16 }))
        continue;
      if (box.h * this.zoom >= SPOT) {
        near.push([item, box]);
        continue;
      }
      const colour = this.colours(frame, item)[1];
      if (!spots.has(colour))
        spots.set(colour, []);
      spots.get(colour).push(box);
    }
    const least = 1.2 / this.zoom;
    for (const [colour, boxes] of spots) {
      this.ctx.fillStyle = colour;
      for (const box of boxes)
        this.ctx.fillRect(box.x + this.dx, box.y + this.dy, Math.max(least, box.w), Math.max(least, box.h));
    }
    for (const [item, box] of near)
      this.box(frame, item, box);
    for (const [item, child] of frame.open) {
      const head = this.scene.headOf(child, this.camera);
      if (head.isStuck && !this.plain)
        this.stuck.push([frame, item, child, head]);
      else
        this.header(frame, item, child, this.plain ? this.scene.headOf(child, null) : head);
    }
  }

  // Fill, border and text.  The number of an overlay comes before the class.
  colours(frame, item) {
    const { palette, scene } = this;
    const state = this.stateOf(item);
    if (scene.overlay && scene.overlay.isOn) {
      const colour = scene.overlay.colourOf(frame, item);
      return colour ? [colour.css, palette.frame, colour.text] : [palette.surface, palette.faint, palette.muted];
    }
    const [fill, stroke] = palette.classes[scene.model.itemClass[item]] || palette.classes[0];
    if (state && palette.states[state])
      return [palette.states[state][0] || fill, palette.states[state][1], palette.text];
    return [fill, stroke, palette.text];
  }

  stateOf(item) {
    const states = this.scene.model.itemState;
    return states ? states[item] : 0;
  }

  box(frame, item, box) {
    const { ctx, palette, zoom } = this;
    const { model } = this.scene;
    const [fill, stroke, text] = this.colours(frame, item);
    const x = box.x + this.dx;
    const y = box.y + this.dy;
    const copies = model.repeat[item];
    const isBlock = frame.canOpen(item);
    const radius = isBlock ? 8 : 5;
    if (copies > 1 && box.h * zoom > PLAIN)
      for (const away of [6, 3])
        this.card(x + away, y + away, box.w, box.h, radius, fill, stroke);
    this.mark(frame, item, box, radius);
    this.card(x, y, box.w, box.h, radius, fill, stroke, this.stateOf(item) === 2);
    if (box.h * zoom < PLAIN)
      return;
    let left = x + 12;
    let right = x + box.w - 12;
    if (isBlock) {
      this.chevron(x + 13, y + (model.itemDetail[item] ? 15 : box.h / 2), false, text === palette.text ? palette.muted : text);
      left += 12;
    }
    if (copies > 1)
      right = this.badge('\u00d7 ' + countText(copies), right, y + box.h / 2, stroke) - 6;
    this.words(frame, item, box, left, right, text);
    if (this.stateOf(item))
      this.sign(this.stateOf(item), x, y);
  }

  card(x, y, w, h, radius, fill, stroke, isDashed) {
    const { ctx } = this;
    ctx.beginPath();
    if (h * this.zoom < PLAIN)
      ctx.rect(x, y, w, h);
    else
      ctx.roundRect(x, y, w, h, radius);
    ctx.fillStyle = fill;
    ctx.fill();
    if (h * this.zoom < PLAIN) { // too small for its border to tell what it is
      ctx.globalAlpha = 0.6;
      ctx.fillStyle = stroke;
      ctx.fill();
      ctx.globalAlpha = 1;
    }
    ctx.lineWidth = Math.max(1.1, Math.min(3, 0.6 / this.zoom));
    ctx.strokeStyle = stroke;
    if (isDashed)
      ctx.setLineDash([5, 3]);
    ctx.stroke();
    if (isDashed)
      ctx.setLineDash([]);
  }

  words(frame, item, box, left, right, colour) {
    const { ctx, palette } = this;
    const { model } = this.scene;
    const detail = model.label(model.itemDetail[item]);
    const whole = this.scene.labelOf(item);
    const font = fontFor(ctx, whole, right - left);
    const label = fitText(ctx, font, whole, right - left);
    const y = box.y + this.dy;
    const hasTwo = detail && box.h >= 36;
    ctx.textAlign = 'left';
    const shift = hasTwo || frame.canOpen(item) ? 0 : (right - left - textWidth(ctx, font, label)) / 2;
    ctx.font = font;
    ctx.fillStyle = colour;
    ctx.fillText(label, left + shift, y + (hasTwo ? 15 : box.h / 2 + 0.5));
    if (!hasTwo)
      return;
    const second = fitText(ctx, FONT_DETAIL, detail, right - left);
    ctx.font = FONT_DETAIL;
    ctx.fillStyle = colour === palette.text ? palette.muted : colour;
    ctx.fillText(second, left, y + box.h - 14);
  }

  // A small plate at the right end; returns where it begins.
  badge(text, right, middle, stroke) {
    const { ctx, palette } = this;
    const width = textWidth(ctx, FONT_DETAIL, text) + 12;
    ctx.beginPath();
    ctx.roundRect(right - width + 4, middle - 9, width, 18, 9);
    ctx.fillStyle = palette.surface;
    ctx.fill();
    ctx.lineWidth = 1;
    ctx.strokeStyle = stroke;
    ctx.stroke();
    ctx.font = FONT_DETAIL;
    ctx.fillStyle = palette.text;
    ctx.textAlign = 'left';
    ctx.fillText(text, right - width + 10, middle + 0.5);
    return right - width + 4;
  }

  // The state in a diff: a sign in a disc on the corner.
  sign(state, x, y) {
    const { ctx, palette } = this;
    ctx.beginPath();
    ctx.arc(x + 1, y + 1, 8, 0, 7);
    ctx.fillStyle = palette.states[state][1];
    ctx.fill();
    ctx.font = FONT_LABEL;
    ctx.fillStyle = palette.surface;
    ctx.textAlign = 'center';
    ctx.fillText(STATE_SIGNS[state], x + 1, y + 1.5);
    ctx.textAlign = 'left';
  }

  // A halo around what is selected, a line around what is pointed at.
  mark(frame, item, box, radius) {
    if (this.plain)
      return;
    const { ctx, palette, scene } = this;
    const isSelected = scene.isSelected(frame, item);
    if (!isSelected && !scene.isHovered(frame, item))
      return;
    const grow = (isSelected ? 4 : 2.5) / Math.min(1, this.zoom * 1.4);
    ctx.beginPath();
    ctx.roundRect(box.x + this.dx - grow, box.y + this.dy - grow, box.w + 2 * grow, box.h + 2 * grow, radius + grow);
    if (!frame.open.has(item)) {
      ctx.fillStyle = palette.halo;
      ctx.fill();
    }
    if (isSelected) {
      ctx.lineWidth = 2 / Math.min(1, this.zoom * 1.4);
      ctx.strokeStyle = palette.accent;
      ctx.stroke();
    }
  }

  // ---- lines --------------------------------------------------------------

  wires(frame, top, bottom) {
    const shapes = [];
    const strong = [];
    for (const edge of this.scene.edgesOf(frame.block).find(top, bottom)) {
      const shape = wireShape(frame, edge);
      if (!touches(shape, this.view))
        continue;
      (this.isStrong(frame, shape) ? strong : shapes).push(shape);
    }
    const { palette } = this;
    this.lines(shapes.filter((s) => s.kind !== CONTROL), palette.wire, 1.3, []);
    this.lines(shapes.filter((s) => s.kind === CONTROL), palette.wire, 1.1, [4, 4]);
    this.lines(strong, palette.strong, 2.2, []);
    if (this.zoom >= FINE)
      this.wireTexts(frame, shapes, strong);
  }

  isStrong(frame, shape) {
    const { scene } = this;
    return !this.plain && [shape.from, shape.to].some((item) =>
      item >= 0 && (scene.isSelected(frame, item) || scene.isHovered(frame, item)));
  }

  lines(shapes, colour, width, dash) {
    if (!shapes.length)
      return;
    const { ctx } = this;
    ctx.beginPath();
    for (const shape of shapes)
      traceWire(ctx, shape, this.dx, this.dy);
    ctx.lineWidth = Math.max(width, Math.min(width * 4, 0.6 / this.zoom));
    ctx.strokeStyle = colour;
    ctx.setLineDash(dash);
    ctx.stroke();
    ctx.setLineDash([]);
    if (this.zoom < 0.25)
      return;
    ctx.beginPath();
    for (const shape of shapes)
      traceArrow(ctx, shape, this.dx, this.dy);
    ctx.fillStyle = colour;
    ctx.fill();
  }

  // Shapes of values beside their lines, names at the ends of cut lines.
  wireTexts(frame, shapes, strong) {
    const { model } = this.scene;
    const labels = model.column('edge_label');
    const weights = model.column('edge_weight');
    const said = new Set();
    const cut = cutEnds([...strong, ...shapes]);
    for (const shape of [...strong, ...shapes]) {
      const isStrong = strong.includes(shape);
      const label = model.label(labels[shape.edge]);
      const isCut = shape.kind === STUBS || !shape.start || !shape.end;
      if (isCut) {
        this.stubTexts(frame, shape, label, [...strong, ...shapes], isStrong, cut);
        continue;
      }
      const key = `${shape.from} ${label} ${Math.round(shape.start.x)}`;
      if (!label || said.has(key) || this.isInBox(frame, shape.from, label) || this.isInBox(frame, shape.to, label))
        continue;
      said.add(key);
      const text = weights[shape.edge] > 1 ? `${label} (${weights[shape.edge]})` : label;
      const width = textWidth(this.ctx, FONT_DETAIL, fitText(this.ctx, FONT_DETAIL, text, 190));
      const x = [shape.start.x + 7, shape.start.x - 7 - width].find((left) =>
        this.hasRoom(frame, { x: left - 2, y: shape.start.y + 6, w: width + 4, h: 14 }, shapes, strong));
      if (x !== undefined)
        this.lineText(text, x, shape.start.y + 13, 190, isStrong);
    }
  }

  // Whether a text beside a line is on no other, and inside the frame.
  hasRoom(frame, rect, shapes, strong) {
    const box = frame.parent?.box(frame.item);
    const isInside = !box || (rect.x > box.x && rect.x + rect.w < box.x + box.w);
    return isInside && !shapes.some((other) => crosses(other, rect)) && !strong.some((other) => crosses(other, rect));
  }

  // A box that says the same need not be told so by its line.
  isInBox(frame, item, text) {
    const { model } = this.scene;
    return item >= 0 && !frame.open.has(item) && model.label(model.itemDetail[item]) === text;
  }

  // Right of the end, or left of it where lines or the border would go through it there and not here.
  stubText(frame, text, { x }, y, lines, isStrong) {
    const width = textWidth(this.ctx, FONT_DETAIL, fitText(this.ctx, FONT_DETAIL, text, STUB_TEXT));
    const box = frame.parent?.box(frame.item);
    const isFree = (left) => (!box || (left > box.x && left + width < box.x + box.w)) &&
      !lines.some((other) => crosses(other, { x: left, y: y - 7, w: width, h: 14 }));
    const left = x - 6 - width;
    return this.lineText(text, !isFree(x + 6) && isFree(left) ? left : x + 6, y, STUB_TEXT, isStrong);
  }

  // All stubs at one side of a box are one, which names the first.
  stubTexts(frame, shape, label, lines, isStrong, cut) {
    const { scene } = this;
    const above = cut.get(`in ${shape.to}`);
    const below = cut.get(`out ${shape.from}`);
    const text = (arrow, item, side) => {
      const more = item >= 0 && side.count > 1 ? `, ${countText(side.count - 1)} more` : '';
      const name = `${arrow} ${item >= 0 ? scene.labelOf(item) : label}`;
      return fitText(this.ctx, FONT_DETAIL, name, STUB_TEXT - textWidth(this.ctx, FONT_DETAIL, more)) + more;
    };
    if (shape.end && (shape.from < 0 || above.first === shape)) {
      const at = this.stubText(frame, text('\u2199', shape.from, above), shape.end, shape.end.y - STUB + 4, lines, isStrong);
      this.dot(shape.end.x, shape.end.y - STUB + 4, isStrong);
      if (at)
        this.stubs.push({ ...at, frame, item: shape.from, edge: shape.edge, self: shape.to });
    }
    if (shape.start && (shape.to < 0 || below.first === shape)) {
      const at = this.stubText(frame, text('\u2198', shape.to, below), shape.start, shape.start.y + STUB - 4, lines, isStrong);
      this.dot(shape.start.x, shape.start.y + STUB - 4, isStrong);
      if (at)
        this.stubs.push({ ...at, frame, item: shape.to, edge: shape.edge, self: shape.from });
    }
  }

  dot(x, y, isStrong) {
    const { ctx, palette } = this;
    ctx.beginPath();
    ctx.arc(x + this.dx, y + this.dy, 2.6, 0, 7);
    ctx.fillStyle = isStrong ? palette.strong : palette.wire;
    ctx.fill();
  }

  // Text beside a line, where nothing else is.  Returns its place, or null.
  lineText(text, x, y, width, isStrong) {
    const { ctx, palette } = this;
    const short = fitText(ctx, FONT_DETAIL, text, width);
    const rect = { x: x - 1, y: y - 7, w: textWidth(ctx, FONT_DETAIL, short) + 2, h: 14 };
    if (!short || this.taken.some((t) => t.x < rect.x + rect.w && t.x + t.w > rect.x && t.y < rect.y + rect.h && t.y + t.h > rect.y))
      return null;
    this.taken.push(rect);
    ctx.font = FONT_DETAIL;
    ctx.textAlign = 'left';
    ctx.lineWidth = 4;
    ctx.strokeStyle = this.ground;
    ctx.globalAlpha = 0.95;
    ctx.strokeText(short, x + this.dx, y + this.dy);
    ctx.globalAlpha = 1;
    ctx.fillStyle = isStrong ? palette.strong : palette.muted;
    ctx.fillText(short, x + this.dx, y + this.dy);
    return rect;
  }
}
