// units_test.mjs - parts of the page that need no browser
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const viewer = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../viewer');

// Files of the page are modules without a package.json: they are loaded as such.
const addressOf = (name) => {
  const text = fs.readFileSync(path.join(viewer, name + '.js'), 'utf8');
  const whole = text.replace(/from '\.\/(\w+)\.js'/g, (_, other) => `from '${addressOf(other)}'`);
  return 'data:text/javascript;base64,' + Buffer.from(whole).toString('base64');
};
const load = (name) => import(addressOf(name));

const { Rows, WarpX, WarpY } = await load('warp');
const { decodeSection } = await load('stream');
const { matchTexts } = await load('search');
const { Grid } = await load('grid');
const { wireX, crosses, LINE, STUBS } = await load('wires');
const { visible } = await load('textfit');
const { paletteOf, rampColour } = await load('palette');

let seed = 7;
const random = (n) => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return seed % n;
};

// Boxes that do not overlap do not overlap afterwards, in the same order.
for (let round = 0; round < 200; round++) {
  const boxes = [];
  for (let layer = 0; layer < 6; layer++)
    for (let x = random(40); x < 500; x += 30 + random(90))
      boxes.push({ layer, x, y: layer * 80, w: 20 + random(10), h: 20 + random(20), open: random(5) === 0 });
  for (const box of boxes)
    Object.assign(box, box.open ? { nw: box.w + random(400), nh: box.h + random(300) } : { nw: box.w, nh: box.h });
  const open = boxes.filter((b) => b.open);
  const spanOf = (b) => ({ from: b.x, to: b.x + b.w, width: b.nw, top: b.y, bottom: b.y + b.h });
  const rows = new Rows(open.map(spanOf), 600);
  const wy = new WarpY(open.map((b) => ({ from: b.y, to: b.y + b.h, grow: b.nh - b.h })));
  for (const b of boxes)
    Object.assign(b, { nx: rows.at(b.x + b.w / 2, rows.rowOf(b.y, b.y + b.h)) - b.nw / 2, ny: wy.at(b.y) });
  for (const a of boxes) {
    assert.ok(a.nx >= 0 && a.nx + a.nw <= rows.width + 1e-6, `round ${round}: outside of the block`);
    for (const b of boxes)
      if (a !== b) {
        const apart = a.nx + a.nw <= b.nx + 1e-6 || b.nx + b.nw <= a.nx + 1e-6 || a.ny + a.nh <= b.ny + 1e-6 || b.ny + b.nh <= a.ny + 1e-6;
        assert.ok(apart, `round ${round}: ${JSON.stringify([a, b])}`);
        if (a.layer < b.layer)
          assert.ok(a.ny < b.ny);
        if (a.layer === b.layer && a.x < b.x)
          assert.ok(a.nx < b.nx);
      }
  }
  // The widest open box of a row stays on its column; rows without one do not move.
  for (const a of boxes) {
    const beside = open.filter((b) => b.layer === a.layer);
    if (beside.length === 0 || (a.open && beside.every((b) => b === a || b.nw < a.nw)))
      assert.ok(Math.abs(a.nx + a.nw / 2 - a.x - a.w / 2 - rows.shift) < 1e-6, `round ${round}: moved`);
  }
  for (const row of [null, ...rows.rows])
    for (let x = 0; x < 600; x += 17)
      assert.ok(Math.abs(rows.back(rows.at(x, row), row) - x) < 1e-6);
  const across = new WarpX(open.map(spanOf));
  for (let x = 0; x < 600; x += 17)
    assert.ok(Math.abs(across.back(across.at(x)) - x) < 1e-6);
}

// A lane leaves its place beside an open block alone, and turns in the gaps.
{
  const line = { kind: LINE, start: { x: 100, y: 50 }, end: { x: 100, y: 700 }, leave: 50, lane: 160, turns: [{ x: 400, top: 300, bottom: 500 }] };
  assert.deepEqual([95, 250, 300, 400, 500, 545, 650].map((y) => Math.round(wireX(line, y))), [160, 160, 400, 400, 400, 160, 160]);
  for (let y = 51; y < 690; y++)
    assert.ok(wireX(line, y) >= 100 && wireX(line, y) <= 400);
}

// A line is where it is drawn: at its ends, in its lane, and nowhere above or below.
for (const lane of [null, 300, 10]) {
  const line = { kind: LINE, start: { x: 100, y: 50 }, end: { x: 180, y: 250 }, leave: 60, lane };
  assert.deepEqual([49, 50, 60, 251].map((y) => wireX(line, y)), [null, 100, 100, null]);
  assert.ok(Math.abs(wireX(line, 247) - 180) < 1);
  if (lane !== null)
    assert.equal(wireX(line, 150), lane);
  for (let y = 50; y < 247; y++) {
    const x = wireX(line, y);
    assert.ok(crosses(line, { x: x - 3, y: y - 7, w: 6, h: 14 }), `${lane}: at ${y}`);
    assert.ok(!crosses(line, { x: 400, y: y - 7, w: 90, h: 14 }));
  }
}
assert.deepEqual([50, 80, 240].map((y) => wireX({ kind: STUBS, start: { x: 1, y: 50 }, end: { x: 9, y: 250 }, lane: null }, y)), [1, null, 9]);

// Sections.
const bytes = (...list) => Uint8Array.from(list);
assert.deepEqual([...decodeSection({ kind: 'varint', count: 3 }, bytes(5, 0x80, 1, 0xff, 0x7f))], [5, 128, 16383]);
assert.deepEqual([...decodeSection({ kind: 'varint', count: 2 }, bytes(1, 0x80, 0x80, 0x80, 0x80, 0x80, 1))], [1, 2 ** 35]);
assert.deepEqual([...decodeSection({ kind: 'delta', count: 4 }, bytes(4, 3, 0, 2))], [2, 0, 0, 1]);
const plain = decodeSection({ kind: 'text', count: 3 }, bytes(0, 2, 1, 97, 98, 99));
assert.deepEqual([0, 1, 2].map((i) => plain.get(i)), ['', 'ab', 'c']);
const front = decodeSection({ kind: 'front', count: 3 }, bytes(0, 3, 97, 47, 98, 2, 1, 99, 3, 0));
assert.deepEqual([0, 1, 2].map((i) => front.get(i)), ['a/b', 'a/c', 'a/c']);

// Search: letters of both cases, at the ends, never across strings.
const texts = decodeSection({ kind: 'text', count: 4 }, bytes(3, 2, 4, 0, ...Buffer.from('ConvXconv')));
assert.deepEqual([...matchTexts(texts, Buffer.from('con'))], [1, 0, 1, 0]);
assert.deepEqual([...matchTexts(texts, Buffer.from('v'))], [0, 1, 1, 0]);
assert.deepEqual([...matchTexts(texts, Buffer.from('xc'))], [0, 0, 0, 0]);

// The grid finds what a rectangle touches.
const count = 500;
const model = { firstItem: [0, count], itemCount: () => count, blockWidth: [3000], blockHeight: [2000],
  x: [], y: [], w: [], h: [] };
for (let k = 0; k < count; k++) {
  model.x.push(random(2900)); model.y.push(random(1950)); model.w.push(10 + random(90)); model.h.push(10 + random(40));
}
const grid = new Grid(model, 0);
for (let round = 0; round < 50; round++) {
  const [l, t] = [random(2800), random(1900)];
  const [r, b] = [l + random(600), t + random(600)];
  const found = new Set(grid.find(l, t, r, b, Infinity).items);
  for (let k = 0; k < count; k++)
    if (model.x[k] < r && model.x[k] + model.w[k] > l && model.y[k] < b && model.y[k] + model.h[k] > t)
      assert.ok(found.has(k));
}
assert.equal(grid.find(0, 0, 3000, 2000, 50).isSample, true);

// Names cannot turn a line around or break it.
assert.equal(visible('a\u202eb\nc\u0000'), 'a\ufffdb\u240ac\u2400');

// Text can be read on every colour.
const channel = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
const light = (rgb) => 0.2126 * channel(rgb[0]) + 0.7152 * channel(rgb[1]) + 0.0722 * channel(rgb[2]);
const hex = (text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16));
const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
for (const dark of [false, true]) {
  const palette = paletteOf(dark);
  for (const [fill, stroke] of palette.classes) {
    assert.ok(contrast(hex(fill), hex(palette.text)) >= 7, `text on ${fill}`);
    assert.ok(contrast(hex(fill), hex(palette.muted)) >= 4.5, `second line on ${fill}`);
    assert.ok(contrast(hex(fill), hex(stroke)) >= 2.2, `border of ${fill}`);
  }
  for (const state of palette.states.filter(Boolean))
    assert.ok(contrast(hex(palette.surface), hex(state[1])) >= 4.5, `sign on ${state[1]}`);
}
for (let part = 0; part <= 1; part += 0.02) {
  const { css, text } = rampColour(part);
  assert.ok(contrast(css.match(/\d+/g).map(Number), hex(text)) >= 4.5, `text on ${css}`);
}

// What join.cmake relies on: a name at the top of a file is unique in the folder.
const names = new Map();
for (const file of fs.readdirSync(viewer).filter((f) => f.endsWith('.js')))
  for (const [, name] of fs.readFileSync(path.join(viewer, file), 'utf8').matchAll(/^(?:export )?(?:async )?(?:const|let|class|function\*?) (\w+)/gm)) {
    assert.ok(!names.has(name), `${name} is in ${names.get(name)} and ${file}`);
    names.set(name, file);
  }
console.log('ok');
