// print.js - the picture on paper: as it is open now, all of it, in pages

import { Painter } from './draw.js';
import { TreemapPainter } from './treemap.js';
import { Camera } from './camera.js';
import { paletteOf, STATE_SIGNS, STATE_WORDS } from './palette.js';
import { make, swatch } from './panel.js';
import { visible } from './textfit.js';

const WIDTH = 700; // of a page, in CSS pixels: fits A4 and Letter with their margins
const HEIGHT = 900; // less than a page: the first has a title, all have a caption
const SHARP = 2; // pixels of the canvas for each
const MOST_PAGES = 40;
const LEAST_ZOOM = 0.35; // smaller text cannot be read: the picture is cut instead

export function printWith(scene, paper) {
  window.addEventListener('beforeprint', () => paper.replaceChildren(...pages(scene)));
  window.addEventListener('afterprint', () => paper.replaceChildren());
}

function pages(scene) {
  const { world } = scene;
  const zoom = Math.min(1, Math.max(LEAST_ZOOM, (WIDTH - 2) / world.w));
  const down = scene.model.isTreemap ? 1 : Math.ceil((world.h * zoom) / HEIGHT);
  const across = scene.model.isTreemap ? 1 : Math.ceil((world.w * zoom) / WIDTH);
  const out = [make('h1', {}, visible(scene.model.header.title)), key(scene)];
  const first = out.length;
  for (let row = 0; row < down; row++)
    for (let column = 0; column < across && out.length - first < MOST_PAGES; column++)
      out.push(make('figure', {}, page(scene, zoom, column, row), caption(row, column, down, across)));
  if (down * across > MOST_PAGES)
    out.push(make('p', {}, `The first ${MOST_PAGES} of ${down * across} pages. Close blocks to print less.`));
  return out;
}

// What colours mean: those of states, of types or of operators.  Paper is light.
function key(scene) {
  const { model } = scene;
  const { classes, states } = paletteOf(false);
  const list = make('ul', { class: 'key' });
  const add = (colours, name, sign = '') => {
    const mark = swatch(colours);
    mark.classList.toggle('sign', sign !== '');
    mark.textContent = sign;
    list.append(make('li', {}, mark, visible(name)));
  };
  if (model.itemState)
    for (const state of [1, 2, 3])
      add(states[state], STATE_WORDS[state], STATE_SIGNS[state]);
  const used = new Set(model.itemClass);
  if (model.isTreemap)
    (scene.dtypeKey || []).forEach(({ name, place }) => add(classes[place], name));
  else
    model.classes.forEach((name, k) => used.has(k) && classes[k] && add(classes[k], name));
  return list;
}

function caption(row, column, down, across) {
  const text = across > 1 ? `row ${row + 1} of ${down}, column ${column + 1} of ${across}` : down > 1 ? `${row + 1} of ${down}` : '';
  return make('figcaption', {}, text);
}

function page(scene, zoom, column, row) {
  const { world, model } = scene;
  const camera = new Camera();
  camera.zoom = model.isTreemap ? WIDTH / world.w : zoom;
  camera.width = Math.min(WIDTH, Math.ceil((world.w * camera.zoom) - column * WIDTH));
  camera.height = Math.min(HEIGHT, Math.ceil((world.h * camera.zoom) - row * HEIGHT));
  camera.x = (column * WIDTH) / camera.zoom;
  camera.y = (row * HEIGHT) / camera.zoom;
  const canvas = make('canvas', { width: camera.width * SHARP, height: camera.height * SHARP });
  canvas.style.width = `${camera.width}px`; // else a narrow picture is stretched to the page, and does not fit it
  const ctx = canvas.getContext('2d');
  const scale = model.isTreemap ? SHARP : SHARP * camera.zoom;
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  const painter = model.isTreemap ? new TreemapPainter(scene, ctx) : new Painter(scene, ctx);
  painter.paint(camera, { ...paletteOf(false), paper: '#ffffff' }, { plain: true });
  return canvas;
}
