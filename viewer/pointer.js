// pointer.js - mouse, wheel and touch

import { visible } from './textfit.js';

const CLICK = 5; // a press that moves further is a drag

export class Pointer {
  constructor(scene, tip) {
    this.scene = scene;
    this.canvas = scene.canvas;
    this.tip = tip;
    this.down = new Map(); // pointers that press: id -> place
    const on = (name, act, options) => this.canvas.addEventListener(name, (event) => act(event), options);
    on('pointerdown', (e) => this.press(e));
    on('pointermove', (e) => this.move(e));
    on('pointerup', (e) => this.release(e));
    on('pointercancel', (e) => this.down.delete(e.pointerId));
    on('pointerleave', () => this.leave());
    on('dblclick', (e) => this.doubleClick(e));
    on('wheel', (e) => this.wheel(e), { passive: false });
  }

  at(event) {
    const rect = this.canvas.getBoundingClientRect();
    return { x: event.clientX - rect.left, y: event.clientY - rect.top };
  }

  press(event) {
    if (event.button !== 0)
      return;
    this.canvas.setPointerCapture(event.pointerId);
    this.down.set(event.pointerId, this.at(event));
    this.travelled = this.down.size > 1 ? Infinity : 0;
    this.hideTip();
  }

  move(event) {
    const before = this.down.get(event.pointerId);
    const now = this.at(event);
    if (!before) {
      this.point(now);
      return;
    }
    const others = [...this.down].filter(([id]) => id !== event.pointerId);
    if (others.length) {
      this.pinch(before, now, others[0][1]);
    } else {
      this.travelled += Math.hypot(now.x - before.x, now.y - before.y);
      if (this.travelled > CLICK) {
        this.canvas.classList.add('dragged');
        this.scene.pan(before.x - now.x, before.y - now.y);
      }
    }
    if (others.length || this.travelled > CLICK)
      this.down.set(event.pointerId, now);
  }

  pinch(before, now, other) {
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    const is = Math.hypot(now.x - other.x, now.y - other.y);
    this.scene.camera.panBy((before.x - now.x) / 2, (before.y - now.y) / 2);
    this.scene.zoom(is / Math.max(1, was), (now.x + other.x) / 2, (now.y + other.y) / 2);
  }

  release(event) {
    const isClick = this.down.has(event.pointerId) && this.travelled <= CLICK;
    this.down.delete(event.pointerId);
    this.canvas.classList.remove('dragged');
    if (isClick)
      this.click(this.at(event));
  }

  click(place) {
    const { scene } = this;
    const hit = scene.hit(place.x, place.y);
    if (!hit)
      scene.select(null);
    else if (hit.part === 'chevron')
      this.toggle(hit, place);
    else if (hit.part === 'before' || hit.part === 'after')
      scene.step(hit, hit.part === 'after' ? 1 : -1);
    else if (hit.part === 'stub')
      this.followStub(hit);
    else
      scene.select({ frame: hit.frame, item: hit.item });
  }

  toggle(hit, place) {
    this.scene.toggle(hit.frame, hit.item, place);
    this.scene.select({ frame: hit.frame, item: hit.item });
  }

  followStub(hit) {
    const { scene } = this;
    scene.select({ frame: hit.frame, item: hit.item >= 0 ? hit.item : hit.self });
    scene.showSelected();
    scene.moved();
  }

  doubleClick(event) {
    const place = this.at(event);
    const hit = this.scene.hit(place.x, place.y);
    if (!hit || !['box', 'head'].includes(hit.part))
      return;
    if (this.scene.model.isTreemap)
      this.zoomInto(place);
    else if (hit.frame.canOpen(hit.item))
      this.toggle(hit, place);
  }

  zoomInto(place) {
    this.scene.zoom(2, place.x, place.y);
  }

  wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? this.scene.camera.height : 1;
    const dx = event.deltaX * unit;
    const dy = event.deltaY * unit;
    const { x, y } = this.at(event);
    this.hideTip();
    if (event.ctrlKey || event.metaKey || this.scene.model.isTreemap)
      this.scene.zoom(Math.exp(-dy * (Math.abs(dy) < 30 ? 0.012 : 0.002)), x, y);
    else
      this.scene.pan(event.shiftKey && !dx ? dy : dx, event.shiftKey && !dx ? 0 : dy);
  }

  // ---- what is pointed at -----------------------------------------------------------

  point(place) {
    const hit = this.scene.hit(place.x, place.y);
    const isBox = hit && hit.part !== 'inside' && hit.item >= 0;
    this.scene.hover(isBox ? { frame: hit.frame, item: hit.item } : null);
    this.canvas.classList.toggle('over', Boolean(isBox));
    clearTimeout(this.timer);
    this.hideTip();
    if (isBox)
      this.timer = setTimeout(() => this.showTip(hit, place), 350);
  }

  showTip(hit, place) {
    const { scene } = this;
    const { model } = scene;
    const node = scene.nodeOf(hit);
    const name = node >= 0 && model.has('node_name') ? model.name(node) : '';
    const lines = [scene.labelOf(hit.item), name, model.label(model.itemDetail[hit.item])].filter(Boolean);
    this.tip.textContent = [...new Set(lines)].map(visible).join('\n');
    this.tip.hidden = false;
    const width = this.tip.offsetWidth;
    this.tip.style.left = Math.max(4, Math.min(place.x + 14, scene.camera.width - width - 8)) + 'px';
    this.tip.style.top = Math.min(place.y + 18, scene.camera.height - this.tip.offsetHeight - 8) + 'px';
  }

  hideTip() {
    clearTimeout(this.timer);
    this.tip.hidden = true;
  }

  leave() {
    this.hideTip();
    this.scene.hover(null);
  }
}
