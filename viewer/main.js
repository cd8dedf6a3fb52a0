// main.js - starts the page: the picture first, then what is around it

import { openModel } from './model.js';
import { Scene } from './scene.js';
import { Tree } from './tree.js';
import { Search } from './search.js';
import { Panel } from './panel.js';
import { Overlay, showLegend } from './legend.js';
import { Minimap } from './minimap.js';
import { Links } from './link.js';
import { Theme } from './theme.js';
import { Keys } from './keys.js';
import { Pointer } from './pointer.js';
import { printWith } from './print.js';
import { visible, countText, bytesText } from './textfit.js';
import { paletteOf } from './palette.js';

const byId = (id) => document.getElementById(id);

async function start() {
  try {
    const model = await openModel();
    showTitle(model.header);
    const scene = new Scene(model, byId('graph'));
    scene.canvas.scene = scene; // for tests, and for whoever asks in the console
    const theme = new Theme(scene, byId('theme-button'));
    const picture = byId('picture');
    if (innerWidth < 760)
      byId('panel-side').hidden = true;
    scene.resize(picture.clientWidth, picture.clientHeight);
    scene.drawNow();
    showEmpty(model);
    performance.mark('tenon-drawn');
    new ResizeObserver(() => scene.resize(picture.clientWidth, picture.clientHeight)).observe(picture);
    await furnish(scene, theme);
    performance.mark('tenon-ready');
  } catch (error) {
    byId('wait').hidden = false;
    byId('wait').textContent = `This page cannot show its model: ${error.message}`;
    throw error;
  }
}

// Some files hold only words about a model, such as a vocabulary.
function showEmpty(model) {
  byId('wait').hidden = model.nodeCount > 0;
  byId('wait').textContent = 'There are no operators and no tensors to draw; the details tell what the file contains.';
}

function showTitle(header) {
  const title = visible(header.title || 'Model');
  document.title = title;
  byId('title').textContent = title;
  const facts = [];
  if (header.counts.ops)
    facts.push(`${countText(header.counts.ops)} operator${header.counts.ops === 1 ? '' : 's'}`);
  if (header.counts.tensors)
    facts.push(`${countText(header.counts.tensors)} tensor${header.counts.tensors === 1 ? '' : 's'}`);
  if (header.file && header.file.size)
    facts.push(bytesText(header.file.size));
  byId('facts').textContent = facts.join(' \u00b7 ');
  byId('graph').setAttribute('aria-label', `Graph of ${title}`);
}

// Everything that is not the picture itself.
async function furnish(scene, theme) {
  const { model } = scene;
  const say = (text) => { byId('said').textContent = visible(text); };
  const panel = new Panel(scene, byId('panel'));
  const tree = new Tree(scene, byId('tree'));
  new Search(scene, say);
  new Minimap(scene, byId('map'));
  new Pointer(scene, byId('tip'));
  const side = (id, button, shown) => {
    const isShown = shown ?? byId(id).hidden;
    byId(id).hidden = !isShown;
    byId(button).setAttribute('aria-expanded', String(isShown));
    return isShown;
  };
  const page = {
    say,
    focusSearch: () => byId('query').focus(),
    toggleTheme: () => theme.toggle(),
    togglePanel: () => side('panel-side', 'panel-button'),
    toggleTree() {
      if (side('tree-side', 'tree-button')) {
        tree.show();
        byId('tree').focus();
      } else {
        tree.isShown = false;
        scene.canvas.focus();
      }
    },
  };
  new Keys(scene, page);
  side('panel-side', 'panel-button', !byId('panel-side').hidden);
  byId('tree-button').addEventListener('click', page.toggleTree);
  byId('panel-button').addEventListener('click', page.togglePanel);
  byId('in-button').addEventListener('click', () => scene.zoom(1.25));
  byId('out-button').addEventListener('click', () => scene.zoom(0.8));
  byId('fit-button').addEventListener('click', () => scene.fit());
  scene.on('theme', () => {
    showLegend(scene, byId('legend'));
    panel.show();
    tree.refresh();
  });
  printWith(scene, byId('paper'));
  for (const name of ['found', 'legend'])
    scene.covers.push(() => placeOver(scene.canvas, byId(name)));
  if (model.header.overlay) {
    await model.need('overlay');
    scene.overlay = new Overlay(model, model.header.overlay);
  }
  if (model.isTreemap)
    await colourTensors(scene, panel);
  showLegend(scene, byId('legend'));
  scene.redraw();
  const links = new Links(scene);
  await links.follow();
}

// The part of the canvas that an element is in front of; null: none.
function placeOver(canvas, element) {
  const [under, over] = [canvas.getBoundingClientRect(), element.getBoundingClientRect()];
  return over.width ? { x: over.left - under.left, y: over.top - under.top, w: over.width, h: over.height } : null;
}

// Areas of a treemap have the colour of their type.
async function colourTensors(scene, panel) {
  const { model } = scene;
  await model.need('nodes', 'types', 'tensors');
  const dtypes = model.column('tensor_dtype');
  if (!dtypes)
    return;
  const tensors = model.column('value_tensor');
  const counts = new Map();
  const areas = new Map(); // the largest have colours of their own
  const sizes = model.column('tensor_bytes');
  dtypes.forEach((dtype, i) => {
    counts.set(dtype, (counts.get(dtype) || 0) + 1);
    areas.set(dtype, (areas.get(dtype) || 0) + Number(sizes[i]));
  });
  const order = [...counts.keys()].sort((a, b) => areas.get(b) - areas.get(a) || counts.get(b) - counts.get(a));
  const classes = [3, 4, 6, 1, 5, 9, 10, 8, 2, 7, 0];
  const classOf = new Map(order.map((dtype, k) => [dtype, classes[Math.min(k, classes.length - 1)]]));
  scene.tensorClasses = (node) => {
    const tensor = tensors[model.values(node).own];
    return tensor ? classOf.get(dtypes[tensor - 1]) : 0;
  };
  const known = new Map(); // of scopes, by first tensor and size
  scene.scopeClasses = (first, size) => {
    const scope = first + ' ' + size;
    if (!known.has(scope)) {
      const bytes = new Float64Array(classes.length + 1);
      for (let node = first; node < first + size; node++) {
        const tensor = tensors[model.values(node).own];
        if (tensor)
          bytes[classOf.get(dtypes[tensor - 1])] += Number(sizes[tensor - 1]) + 1;
      }
      known.set(scope, bytes.indexOf(Math.max(...bytes)));
    }
    return known.get(scope);
  };
  const key = () => order.map((dtype) => ({ name: model.column('tensor_words').get(dtype), count: counts.get(dtype), place: classOf.get(dtype), colours: paletteOf(scene.isDark).classes[classOf.get(dtype)] }));
  Object.defineProperty(scene, 'dtypeKey', { get: key });
  panel.show();
}

start();
