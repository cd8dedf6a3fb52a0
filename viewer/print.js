// print.js - the picture on paper: as it is open now, all of it, in pages

import { Painter } from './draw.js';
import { TreemapPainter } from './treemap.js';
import { Camera } from './camera.js';
import { paletteOf } from './palette.js';
import { make } from './panel.js';
import { visible } from './textfit.js';

const WIDTH = 720; // of a page, in CSS pixels
const HEIGHT = 960;
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
  const out = [make('h1', {}, visible(scene.model.header.title))];
  for (let row = 0; row < down; row++)
    for (let column = 0; column < across && out.length <= MOST_PAGES; column++)
      out.push(page(scene, zoom, column, row));
  if (down * across > MOST_PAGES)
    out.push(make('p', {}, `The first ${MOST_PAGES} of ${down * across} pages. Close blocks to print less.`));
  return out;
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
  const ctx = canvas.getContext('2d');
  const scale = model.isTreemap ? SHARP : SHARP * camera.zoom;
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  const painter = model.isTreemap ? new TreemapPainter(scene, ctx) : new Painter(scene, ctx);
  painter.paint(camera, { ...paletteOf(false), paper: '#ffffff' }, { plain: true });
  return canvas;
}
