// treemap.js - a model without a graph: tensors as areas
//
// Scopes lie inside scopes, and are drawn as soon as there is room for them.

import { FONT_LABEL, FONT_DETAIL, fitText } from './textfit.js';
import { Frame } from './frame.js';

const TITLE = 20; // height of a scope's title, on the screen
const LEAST = 36; // a scope that is smaller on the screen is drawn as one area

export class TreemapPainter {
  constructor(scene, ctx) {
    this.scene = scene;
    this.ctx = ctx;
  }

  paint(camera, palette, options = {}) {
    this.camera = camera;
    this.palette = palette;
    this.plain = options.plain || false;
    this.ctx.textBaseline = 'middle';
    this.ctx.textAlign = 'left';
    const { world } = this.scene;
    const corner = camera.toScreen(0, 0);
    this.areas = []; // what was drawn, for the pointer: later ones lie above
    this.block(this.scene.root, {
      x: corner.x, y: corner.y,
      w: world.w * camera.zoom, h: world.h * camera.zoom,
    }, 0);
    return [];
  }

  // A block drawn into a rectangle of the screen.
  block(frame, rect, depth) {
    const { model } = this.scene;
    const sx = rect.w / Math.max(1, model.blockWidth[frame.block]);
    const sy = rect.h / Math.max(1, model.blockHeight[frame.block]);
    for (let item = model.firstItem[frame.block]; item < model.firstItem[frame.block + 1]; item++) {
      const area = { x: rect.x + model.x[item] * sx, y: rect.y + model.y[item] * sy, w: model.w[item] * sx, h: model.h[item] * sy, frame, item };
      if (area.x > this.camera.width || area.y > this.camera.height || area.x + area.w < 0 || area.y + area.h < 0 || area.w < 0.4 || area.h < 0.4)
        continue; // not in view, or not to be seen
      if (area.w >= 2 && area.h >= 2)
        this.areas.push(area);
      this.area(frame, item, area, depth);
    }
  }

  area(frame, item, area, depth) {
    const { ctx, palette, scene } = this;
    const inner = scene.model.blockOf(item) >= 0;
    const gap = Math.min(1, area.w / 8, area.h / 8);
    const opens = inner && area.w > LEAST && area.h > LEAST;
    const [fill, stroke] = this.colours(item, inner, opens, frame, depth);
    ctx.beginPath();
    ctx.rect(area.x + gap, area.y + gap, Math.max(0.5, area.w - 2 * gap), Math.max(0.5, area.h - 2 * gap));
    ctx.fillStyle = fill;
    ctx.fill();
    const isMarked = !this.plain && (scene.isSelected(frame, item) || scene.isHovered(frame, item));
    if (area.w > 6 && area.h > 6) {
      ctx.lineWidth = isMarked ? 2.5 : 1;
      ctx.strokeStyle = isMarked ? palette.accent : stroke;
      ctx.stroke();
    }
    if (opens)
      this.scope(frame, item, area, depth);
    else if (area.w > 30 && area.h > 14)
      this.words(frame, item, area);
  }

  // A scope that is too small to show what is in it has the colour of most of it.
  colours(item, inner, opens, frame, depth) {
    const { palette, scene } = this;
    const state = scene.model.itemState ? palette.states[scene.model.itemState[item]] : null;
    if (!inner && scene.overlay && scene.overlay.isOn) {
      const colour = scene.overlay.colourOf(frame, item);
      return [colour ? colour.css : palette.surface, palette.faint];
    }
    if (state && state[0])
      return state;
    if (scene.model.itemState && !opens)
      return [palette.surface, state ? state[1] : palette.faint]; // the same: colours are those of what differs
    if (opens || (inner && (!scene.scopeClasses || (scene.overlay && scene.overlay.isOn))))
      return [palette.inside[depth % 2], palette.frame];
    return palette.classes[inner ? scene.scopeClasses(scene.model.startOf(item, frame.start, 0), scene.model.sizeOf(item)) : scene.tensorClass(frame, item)];
  }

  scope(frame, item, area, depth) {
    const { ctx, palette } = this;
    const child = frame.open.get(item) || this.adopt(frame, item);
    const label = fitText(ctx, FONT_LABEL, this.scene.labelOf(item), area.w - 12);
    ctx.font = FONT_LABEL;
    ctx.fillStyle = palette.text;
    ctx.fillText(label, area.x + 6, area.y + TITLE / 2 + 1);
    this.block(child, { x: area.x + 3, y: area.y + TITLE, w: area.w - 6, h: area.h - TITLE - 3 }, depth + 1);
  }

  // Scopes are drawn open here, whatever the outline shows.
  adopt(frame, item) {
    const child = new Frame(frame.model, frame.model.blockOf(item), frame, item, 0);
    child.isFolded = true;
    frame.open.set(item, child);
    return child;
  }

  words(frame, item, area) {
    const { ctx, palette, scene } = this;
    const colour = scene.overlay && scene.overlay.isOn ? (scene.overlay.colourOf(frame, item) || {}).text : null;
    const lines = [[FONT_LABEL, scene.labelOf(item), palette.text], [FONT_DETAIL, scene.model.label(scene.model.itemDetail[item]), palette.muted]];
    let y = area.y + 11;
    for (const [font, text, shade] of lines) {
      if (!text || y + 6 > area.y + area.h)
        break;
      const short = fitText(ctx, font, text, area.w - 12);
      ctx.font = font;
      ctx.fillStyle = colour || shade;
      ctx.fillText(short, area.x + 6, y);
      y += 15;
    }
  }

  hit(sx, sy) {
    for (let k = (this.areas || []).length - 1; k >= 0; k--) {
      const a = this.areas[k];
      if (sx >= a.x && sx < a.x + a.w && sy >= a.y && sy < a.y + a.h)
        return { part: 'box', frame: a.frame, item: a.item };
    }
    return null;
  }

  // Where an item was drawn last, on the screen.
  placeOf(frame, item) {
    return (this.areas || []).find((a) => a.frame === frame && a.item === item) || null;
  }
}
