// legend.js - numbers of --data as colours, and the states of a diff

import { rampColour, paletteOf, STATE_SIGNS, STATE_WORDS } from './palette.js';
import { make, numberText } from './panel.js';
import { visible, countText } from './textfit.js';

const CHUNK = 256;

// A number for some of the nodes.  A block has the colour of its largest.
export class Overlay {
  constructor(model, { label, min, max }) {
    this.label = label || 'value';
    this.min = min;
    this.max = max;
    this.model = model;
    this.isOn = true;
    this.numbers = model.column('node_number');
    this.chunks = new Float64Array(Math.ceil(this.numbers.length / CHUNK)).fill(-Infinity);
    this.numbers.forEach((n, i) => {
      if (n > this.chunks[Math.floor(i / CHUNK)])
        this.chunks[Math.floor(i / CHUNK)] = n;
    });
  }

  mostIn(start, size) {
    const { numbers, chunks } = this;
    let most = -Infinity;
    for (let i = start; i < start + size;)
      if (i % CHUNK === 0 && i + CHUNK <= start + size) {
        most = Math.max(most, chunks[i / CHUNK]);
        i += CHUNK;
      } else {
        if (numbers[i] > most)
          most = numbers[i];
        i++;
      }
    return most;
  }

  rangeOf(start, size) {
    let sum = 0;
    let count = 0;
    for (let i = start; i < start + size; i++)
      if (!Number.isNaN(this.numbers[i])) {
        sum += this.numbers[i];
        count++;
      }
    return { sum, count, most: this.mostIn(start, size) };
  }

  colourOf(frame, item) {
    const { model } = this;
    const start = model.startOf(item, frame.start, 0);
    const block = model.blockOf(item);
    const size = block < 0 ? 1 : model.blockSize[block] * (model.blockHome[block] ? 1 : model.repeat[item]);
    const most = this.mostIn(start, size);
    return most === -Infinity ? null : rampColour(this.partOf(most));
  }

  partOf(n) {
    return this.max > this.min ? (n - this.min) / (this.max - this.min) : 0.5;
  }
}

export function showLegend(scene, element) {
  const { header } = scene.model;
  const parts = [];
  if (scene.overlay)
    parts.push(overlayLegend(scene));
  if (scene.model.itemState)
    parts.push(diffLegend(scene));
  element.hidden = !parts.length;
  element.replaceChildren(...parts);
  return header;
}

function overlayLegend(scene) {
  const { overlay } = scene;
  const bar = make('div', { class: 'ramp', 'aria-hidden': 'true' });
  for (let k = 0; k < 24; k++) {
    const cell = make('span');
    cell.style.background = rampColour(k / 23).css;
    bar.append(cell);
  }
  const id = 'overlay-on';
  const check = make('input', { type: 'checkbox', id });
  check.checked = overlay.isOn;
  check.addEventListener('change', () => {
    overlay.isOn = check.checked;
    scene.redraw();
  });
  return make('div', {}, make('p', {}, check, make('label', { for: id }, ` ${visible(overlay.label)}`)), bar,
    make('p', { class: 'ends' }, make('span', {}, numberText(overlay.min)), make('span', {}, numberText(overlay.max))));
}

// Nodes are counted, not boxes: a box may stand for many.
async function countChanges(model, lines) {
  await model.need('nodes');
  const counts = [0, 0, 0, 0, 0];
  for (const state of model.column('node_state') || [])
    counts[state]++;
  lines.forEach((line, state) => { line.textContent = `${STATE_WORDS[state]} (${countText(counts[state])})`; });
}

function diffLegend(scene) {
  const lines = new Map(); // by state
  const list = make('ul', { class: 'key' });
  for (const state of [1, 2, 3]) {
    const [fill, stroke] = paletteOf(scene.isDark).states[state];
    const sign = make('span', { class: 'swatch sign', 'aria-hidden': 'true' }, STATE_SIGNS[state]);
    sign.style.background = fill;
    sign.style.borderColor = stroke;
    lines.set(state, make('span', {}, STATE_WORDS[state]));
    list.append(make('li', {}, sign, lines.get(state)));
  }
  countChanges(scene.model, lines);
  const before = make('button', { type: 'button' }, 'Previous');
  const after = make('button', { type: 'button' }, 'Next');
  before.addEventListener('click', () => goToChange(scene, -1));
  after.addEventListener('click', () => goToChange(scene, 1));
  return make('div', {}, list, make('p', { class: 'buttons' }, before, after));
}

// The next node that was added, removed or changed, after what is selected.
export async function goToChange(scene, way) {
  const { model } = scene;
  await model.need('nodes');
  const states = model.column('node_state');
  if (!states)
    return;
  const here = scene.selected ? scene.nodeOf(scene.selected) : -1;
  let at = here < 0 ? (scene.lastChange ?? (way > 0 ? -1 : 0)) : here;
  for (let k = 0; k < states.length; k++) {
    at = (at + way + states.length) % states.length;
    if (states[at]) {
      scene.lastChange = at;
      scene.goToNode(at);
      return;
    }
  }
}
