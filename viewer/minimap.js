// minimap.js - the whole graph, small, with a frame around what is in view

import { paletteOf } from './palette.js';
import { cornerOf } from './corner.js';

const MOST_BOXES_SMALL = 3000; // of one block

export class Minimap {
  constructor(scene, canvas) {
    this.scene = scene;
    this.canvas = canvas;
    this.ctx = canvas.getContext('2d');
    this.picture = document.createElement('canvas');
    scene.on('shape', () => { this.isStale = true; });
    scene.on('draw', () => this.draw());
    scene.covers.push(() => this.place());
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.go(event);
    });
    canvas.addEventListener('pointermove', (event) => event.buttons && this.go(event));
  }

  go(event) {
    const { scene } = this;
    const rect = this.canvas.getBoundingClientRect();
    scene.camera.centre(((event.clientX - rect.left) / rect.width) * scene.world.w, ((event.clientY - rect.top) / rect.height) * scene.world.h);
    scene.moved();
  }

  // Where it is on the screen; null: all of the graph is in view.
  place() {
    const { camera, world, model } = this.scene;
    return model.isTreemap ? null : cornerOf(camera, world);
  }

  draw() {
    const { scene, canvas, ctx } = this;
    const { camera, world } = scene;
    const view = camera.view;
    const place = this.place();
    canvas.hidden = !place;
    if (!place)
      return;
    const { w: width, h: height } = place;
    const ratio = window.devicePixelRatio || 1;
    this.fill(width, height, ratio);
    canvas.width = this.picture.width;
    canvas.height = this.picture.height;
    canvas.style.width = width + 'px';
    canvas.style.height = height + 'px';
    ctx.drawImage(this.picture, 0, 0);
    const sx = (width * ratio) / world.w;
    const sy = (height * ratio) / world.h;
    const palette = paletteOf(scene.isDark);
    ctx.lineWidth = 1.5 * ratio;
    ctx.strokeStyle = palette.accent;
    ctx.fillStyle = palette.halo;
    const x = Math.max(0, view.x * sx);
    const y = Math.max(0, view.y * sy);
    const w = Math.max(5 * ratio, Math.min(view.w * sx + Math.min(0, view.x * sx), canvas.width - x));
    const h = Math.max(5 * ratio, Math.min(view.h * sy + Math.min(0, view.y * sy), canvas.height - y));
    ctx.fillRect(x, y, w, h);
    ctx.strokeRect(x + ratio, y + ratio, w - 2 * ratio, h - 2 * ratio);
  }

  colourOf(frame, item, palette) {
    const { overlay, model } = this.scene;
    const colour = overlay && overlay.isOn ? overlay.colourOf(frame, item) : null;
    return colour ? colour.css : (palette.classes[model.itemClass[item]] || palette.classes[0])[1];
  }

  // The boxes, drawn once for every change of what is open.
  fill(width, height, ratio) {
    const { scene, picture } = this;
    const key = `${width} ${height} ${ratio} ${scene.isDark} ${Boolean(scene.overlay && scene.overlay.isOn)}`;
    if (!this.isStale && this.key === key)
      return;
    this.isStale = false;
    this.key = key;
    picture.width = width * ratio;
    picture.height = height * ratio;
    const ctx = picture.getContext('2d');
    const palette = paletteOf(scene.isDark);
    ctx.fillStyle = palette.surface;
    ctx.fillRect(0, 0, picture.width, picture.height);
    const sx = picture.width / scene.world.w;
    const sy = picture.height / scene.world.h;
    let left = 200; // blocks; more are not seen at this size
    for (const frame of scene.root.frames()) {
      if (left-- <= 0)
        break;
      const { model } = scene;
      if (frame.parent) {
        ctx.fillStyle = palette.inside[frame.depth % 2];
        ctx.fillRect(frame.left * sx, frame.top * sy, frame.width * sx, frame.height * sy);
      }
      const step = Math.max(1, Math.ceil(model.itemCount(frame.block) / MOST_BOXES_SMALL));
      for (let item = model.firstItem[frame.block]; item < model.firstItem[frame.block + 1]; item += step) {
        const box = frame.box(item);
        ctx.fillStyle = frame.open.has(item) ? palette.faint : this.colourOf(frame, item, palette);
        ctx.fillRect(box.x * sx, box.y * sy, Math.max(1, box.w * sx), Math.max(1, box.h * sy));
      }
    }
  }
}
