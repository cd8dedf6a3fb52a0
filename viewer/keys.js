// keys.js - everything by keyboard, and the list of keys

import { make } from './panel.js';
import { goToChange } from './legend.js';

const KEYS = [
  ['Arrow keys', 'move to the next box; in the outline, along the tree'],
  ['Shift + arrow keys', 'move the picture'],
  ['Enter, Space', 'open or close the selected block'],
  ['+ and \u2212', 'zoom in and out'],
  ['0', 'show all'],
  ['1', 'back to the first view'],
  ['[ and ]', 'previous and next copy of what repeats'],
  ['n and N', 'next and previous change (in a diff)'],
  ['/', 'search'],
  ['T', 'outline'],
  ['P', 'details'],
  ['D', 'light or dark'],
  ['Escape', 'out of the block, then select nothing'],
  ['?', 'this list'],
  ['Wheel', 'move; with Ctrl, or with two fingers, zoom'],
  ['Double click', 'open or close a block'],
];

export class Keys {
  constructor(scene, page) {
    this.scene = scene;
    this.page = page; // what the buttons do, too
    this.help = document.getElementById('help');
    scene.canvas.addEventListener('keydown', (event) => this.onCanvas(event));
    document.addEventListener('keydown', (event) => this.anywhere(event));
    document.getElementById('help-button').addEventListener('click', () => this.showHelp());
  }

  showHelp() {
    const rows = KEYS.map(([key, text]) => make('tr', {}, make('th', { scope: 'row' }, key), make('td', {}, text)));
    const close = make('button', { type: 'button', class: 'wide' }, 'Close');
    close.addEventListener('click', () => this.help.close());
    this.help.replaceChildren(make('h2', { id: 'help-title' }, 'Keys'), make('table', {}, make('tbody', {}, ...rows)), close);
    this.help.showModal();
  }

  // Letters act where no text is typed.
  anywhere(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || this.help.open)
      return;
    if (event.target instanceof HTMLInputElement)
      return;
    const acts = {
      '/': () => this.page.focusSearch(), '?': () => this.showHelp(), t: () => this.page.toggleTree(), p: () => this.page.togglePanel(),
      d: () => this.page.toggleTheme(), '+': () => this.scene.zoom(1.25), '=': () => this.scene.zoom(1.25), '-': () => this.scene.zoom(0.8),
      0: () => this.scene.fit(), 1: () => this.scene.closeAll(), '[': () => this.stepCopy(-1), ']': () => this.stepCopy(1),
      n: () => goToChange(this.scene, 1), N: () => goToChange(this.scene, -1), Escape: () => this.outward(),
    };
    const act = acts[event.key] || acts[event.key.toLowerCase()];
    if (!act)
      return;
    act();
    event.preventDefault();
  }

  onCanvas(event) {
    if (event.ctrlKey || event.metaKey || event.altKey)
      return;
    const ways = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    const way = ways[event.key];
    const { scene } = this;
    if (way && event.shiftKey)
      scene.pan(way[0] * 80, way[1] * 80);
    else if (way)
      this.move(way);
    else if (event.key === 'PageDown' || event.key === 'PageUp')
      scene.pan(0, (event.key === 'PageDown' ? 0.8 : -0.8) * scene.camera.height);
    else if ((event.key === 'Enter' || event.key === ' ') && scene.selected)
      scene.toggle(scene.selected.frame, scene.selected.item);
    else
      return;
    event.preventDefault();
  }

  // What repeats and is selected, or is nearest around the selection.
  stepCopy(way) {
    const { scene } = this;
    let place = scene.selected;
    while (place && scene.model.repeat[place.item] < 2)
      place = place.frame.parent && { frame: place.frame.parent, item: place.frame.item };
    if (place)
      scene.step(place, way);
  }

  outward() {
    const { scene } = this;
    if (!scene.selected)
      return;
    const { frame } = scene.selected;
    scene.select(frame.parent ? { frame: frame.parent, item: frame.item } : null);
    scene.showSelected();
    scene.moved();
  }

  // ---- from box to box ----------------------------------------------------------

  move(way) {
    const { scene } = this;
    const next = scene.selected ? this.nextTo(scene.selected, way) : this.first();
    if (!next)
      return;
    scene.select(next);
    scene.showSelected();
    scene.moved();
    this.page.say(scene.labelOf(next.item));
  }

  // The uppermost box that is in view, or the first of all.
  first() {
    const { scene } = this;
    const { model, root } = scene;
    const { view } = scene.camera;
    let best = null;
    const { left, top, right, bottom } = root.part(view);
    for (const item of scene.gridOf(0).find(left, top, right, bottom, 4000).items) {
      const box = root.box(item);
      if (box.y >= view.y && (!best || box.y < best.y))
        best = { y: box.y, item };
    }
    if (best)
      return { frame: root, item: best.item };
    return model.itemCount(0) ? { frame: root, item: model.firstItem[0] } : null;
  }

  nextTo({ frame, item }, way) {
    const child = frame.open.get(item);
    if (child && !child.isFolded && way[1] > 0)
      return { frame: child, item: this.scene.model.firstItem[child.block] };
    const best = this.nearest(frame, item, way);
    if (best >= 0)
      return { frame, item: best };
    if (!frame.parent)
      return null;
    return way[1] > 0 ? this.nextAfter(frame, way) : { frame: frame.parent, item: frame.item };
  }

  // Below the last box of an open block is what comes after the block.
  nextAfter(frame, way) {
    const best = this.nearest(frame.parent, frame.item, way);
    return best >= 0 ? { frame: frame.parent, item: best } : frame.parent.parent ? this.nextAfter(frame.parent, way) : null;
  }

  nearest(frame, item, [wx, wy]) {
    const { scene } = this;
    const { model } = scene;
    const centre = (i) => [model.x[i] + model.w[i] / 2, model.y[i] + model.h[i] / 2];
    const [cx, cy] = centre(item);
    let best = -1;
    let least = Infinity;
    for (const reach of [600, 3000, 20000]) {
      for (const other of scene.gridOf(frame.block).find(cx - reach, cy - reach, cx + reach, cy + reach, 6000).items) {
        const [ox, oy] = centre(other);
        const along = wx ? (ox - cx) * wx : (oy - cy) * wy;
        const aside = wx ? Math.abs(oy - cy) * 4 : Math.abs(ox - cx) * 0.7;
        if (other !== item && along > 4 && along + aside < least) {
          least = along + aside;
          best = other;
        }
      }
      if (best >= 0)
        return best;
    }
    return best;
  }
}
