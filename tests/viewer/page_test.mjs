// page_test.mjs GENERATED [ONLY] - the page of `tenon view` in Chromium
//
// GENERATED is the folder of the build that has viewer_head.html and
// viewer_tail.html.  Pictures are made by cases.mjs; every page is opened from a
// file, and none may report an error, ask for anything or break its own policy.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { startChromium, temporaryFolder, axeFindings } from './browser.mjs';
import { madePage } from './made_page.mjs';
import * as cases from './cases.mjs';

const [generated, only] = process.argv.slice(2);
const head = fs.readFileSync(path.join(generated, 'viewer_head.html'));
const tail = fs.readFileSync(path.join(generated, 'viewer_tail.html'));
const folder = temporaryFolder();
const { browser, open, close } = await startChromium();

const files = new Map();
function fileOf(name, ...args) {
  const file = path.join(folder, `${name}${args.join('-')}.html`);
  if (!files.has(file)) {
    fs.writeFileSync(file, madePage(head, tail, cases[name](...args)));
    files.set(file, true);
  }
  return file;
}

// ---- what tests ask the page --------------------------------------------------

// Where a box is on the screen, by the labels on the way to it.
const place = (page, ...labels) => page.evaluate((way) => {
  const { scene } = document.getElementById('graph');
  const rect = document.getElementById('graph').getBoundingClientRect();
  let frame = scene.root;
  let item = -1;
  way.forEach((label, k) => {
    if (k)
      frame = frame.open.get(item);
    const { model } = scene;
    for (item = model.firstItem[frame.block]; item < model.firstItem[frame.block + 1]; item++)
      if (scene.labelOf(item) === label)
        break;
  });
  const child = frame.open.get(item);
  const box = child ? scene.headOf(child, scene.camera) : frame.box(item);
  const at = scene.camera.toScreen(box.x, box.y);
  const { zoom } = scene.camera;
  return { x: rect.left + at.x, y: rect.top + at.y, w: box.w * zoom, h: box.h * zoom, isOpen: Boolean(child), width: frame.box(item).w, height: frame.box(item).h };
}, labels);

const centre = (box) => [box.x + box.w / 2, box.y + Math.min(box.h, 20) / 2];
const panel = (page) => page.locator('#panel').innerText();
const hash = (page) => page.evaluate(() => location.hash);
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const near = (a, b, what) => assert.ok(Math.abs(a - b) < 0.6, `${what}: ${a} and ${b}`);

async function panelSays(page, text) {
  await page.locator('#panel').getByText(text).first().waitFor({ timeout: 4000 });
}

const tests = {
  async 'shows a model and its facts'(page) {
    assert.equal(await page.title(), 'layers.onnx');
    assert.match(await panel(page), /layers\.onnx[\s\S]*inputs[\s\S]*Colours/);
    assert.equal(await page.locator('#wait').isVisible(), false);
  },

  async 'a double click opens a block in place and closes it'(page) {
    const before = { x: await place(page, 'x'), layer: await place(page, 'layer'), y: await place(page, 'y') };
    const [px, py] = centre(before.layer);
    await page.mouse.dblclick(px, py);
    const after = { x: await place(page, 'x'), layer: await place(page, 'layer'), y: await place(page, 'y') };
    assert.ok(after.layer.isOpen && after.layer.height > before.layer.height);
    assert.ok(px > after.layer.x && px < after.layer.x + after.layer.w && py > after.layer.y && py < after.layer.y + after.layer.h, 'the header is under the pointer');
    near(after.layer.y, before.layer.y, 'the header stays');
    near(after.x.x, before.x.x, 'above: not moved aside');
    near(after.x.y, before.x.y, 'above: not moved');
    near(after.y.x, before.y.x, 'below: aligned as before');
    assert.ok(after.y.y > before.y.y + 100, 'below: moved down');
    await panelSays(page, 'Close this block');
    await page.mouse.dblclick(px, py);
    await panelSays(page, 'Open this block');
    const closed = { x: await place(page, 'x'), y: await place(page, 'y') };
    near(closed.y.y, before.y.y, 'closed again');
    near(closed.x.y, before.x.y, 'closed again');
  },

  async 'the chevron opens with one click, the arrows step through copies'(page) {
    const layer = await place(page, 'layer');
    await page.mouse.click(layer.x + 14, layer.y + layer.h / 2);
    const open = await place(page, 'layer');
    assert.ok(open.isOpen);
    const relu = await place(page, 'layer', 'Relu');
    await page.mouse.click(...centre(relu));
    await panelSays(page, 'layer0/relu');
    const right = open.x + open.w - 12 * (open.h / 30);
    await page.mouse.click(right, open.y + open.h / 2);
    await panelSays(page, 'layer1/relu');
    const left = open.x + open.w - 106 * (open.h / 30);
    await page.mouse.click(left, open.y + open.h / 2);
    await page.mouse.click(left, open.y + open.h / 2);
    await panelSays(page, 'layer23/relu');
  },

  async 'details: attributes, inputs, outputs, statistics; jumps'(page) {
    await page.evaluate(() => document.getElementById('graph').scene.goToNode(1));
    await panelSays(page, 'layer0/matmul');
    const text = await panel(page);
    for (const part of ['MatMul', 'transB', 'float32 [8, 8]', '256 bytes', 'minimum', '-1.5', 'deviation'])
      assert.ok(text.includes(part), `${part} in ${text}`);
    assert.doesNotMatch(text, /null|undefined|NaN/);
    assert.equal(await page.locator('#panel svg.histogram rect').count(), 31); // the last bin is empty
    assert.equal(await page.locator('#panel figcaption').first().innerText().then((t) => t.replace(/\s+/g, ' ')), '-1.5 2.375');
    await page.locator('#panel .jumps button', { hasText: 'Add' }).click();
    await panelSays(page, 'layer0/add');
    assert.equal(await hash(page), '#node=layer0%2Fadd');
  },

  async 'search by keyboard opens the way to a match'(page) {
    await page.keyboard.press('/');
    await page.keyboard.type('LAYER7/relu');
    await page.locator('#hits [role=option]').first().waitFor();
    assert.equal(await page.locator('#hit-count').innerText(), '1 match');
    await page.keyboard.press('Enter');
    await panelSays(page, 'layer7/relu');
    assert.equal(await hash(page), '#node=layer7%2Frelu');
    assert.ok((await place(page, 'layer', 'Relu')).w > 20);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#found').isVisible(), false);
  },

  async 'search finds operators, shapes and several words; arrows choose'(page) {
    const matches = async (text, expected) => {
      await page.fill('#query', text);
      await page.waitForFunction((e) => document.getElementById('hit-count').textContent === e, expected, { timeout: 4000 });
    };
    await matches('relu', '24 matches');
    await matches('[1, 8] layer3', '3 matches');
    await page.focus('#query');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await panelSays(page, 'layer3/add');
    assert.match(await page.getAttribute('#query', 'aria-activedescendant'), /^hits-1$/);
    await matches('no such thing', '0 matches');
    assert.equal(await page.locator('#hits').isVisible(), false);
  },

  async 'keyboard alone: arrows, Enter, brackets, Escape'(page) {
    await page.focus('#graph');
    await page.keyboard.press('ArrowDown');
    await panelSays(page, 'input');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.ok((await place(page, 'layer')).isOpen);
    await page.keyboard.press('ArrowDown');
    await panelSays(page, 'layer0/matmul');
    await page.keyboard.press(']');
    await panelSays(page, 'layer1/matmul');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await panelSays(page, 'cond');
    await page.keyboard.press('Escape');
    assert.equal(await hash(page), '');
    const before = await page.evaluate(() => document.getElementById('graph').scene.camera.zoom);
    await page.keyboard.press('+');
    assert.ok(await page.evaluate(() => document.getElementById('graph').scene.camera.zoom) > before);
    await page.keyboard.press('1');
    assert.equal((await place(page, 'layer')).isOpen, false);
    await page.keyboard.press('?');
    assert.ok(await page.locator('#help').isVisible());
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#help').isVisible(), false);
  },

  async 'every control is reached by Tab'(page) {
    const seen = new Set();
    for (let k = 0; k < 30; k++) {
      await page.keyboard.press('Tab');
      seen.add(await page.evaluate(() => document.activeElement.id));
    }
    for (const id of ['tree-button', 'query', 'out-button', 'fit-button', 'in-button', 'theme-button', 'panel-button', 'help-button', 'graph', 'panel-side'])
      assert.ok(seen.has(id), id);
  },

  async 'the outline is an ARIA tree of the same blocks'(page) {
    await page.click('#tree-button');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    assert.ok((await place(page, 'layer')).isOpen, 'opened in the picture, too');
    await page.keyboard.press('ArrowRight');
    await panelSays(page, 'layer0/matmul');
    const snapshot = await page.locator('#tree').ariaSnapshot();
    assert.match(snapshot, /treeitem "layer 1 of 24" \[expanded\] \[level=1\]/);
    assert.match(snapshot, /treeitem "MatMul layer0\/matmul" \[level=2\] \[selected\]/);
    const active = page.locator('#' + await page.getAttribute('#tree', 'aria-activedescendant'));
    assert.equal(await active.getAttribute('aria-posinset'), '1');
    assert.equal(await active.getAttribute('aria-setsize'), '3');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    assert.equal((await place(page, 'layer')).isOpen, false);
    await page.keyboard.press('End');
    await panelSays(page, 'output');
    await page.keyboard.press('t');
    assert.equal(await page.locator('#tree-side').isVisible(), false);
  },

  async 'a subgraph opens in place'(page) {
    await page.evaluate(() => document.getElementById('graph').scene.goToNode(75));
    await panelSays(page, 'cond/then/sub');
    const inner = await place(page, 'If', 'then_branch', 'Sub');
    const outer = await place(page, 'If');
    assert.ok(inner.x > outer.x && inner.x + inner.w < outer.x + outer.w);
  },

  async 'names are text, whatever they are'(page) {
    await page.click('#tree-button');
    await page.evaluate(() => document.getElementById('graph').scene.goToNode(76));
    await panelSays(page, 'onerror=alert(1)');
    await page.fill('#query', 'onerror');
    await page.locator('#hits [role=option]').first().waitFor();
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('#panel script, #tree script, #hits script').count(), 0);
  },

  async 'zoom and pan: wheel, drag, pinch'(page) {
    const camera = () => page.evaluate(() => ({ ...document.getElementById('graph').scene.camera }));
    const first = await camera();
    await page.mouse.move(400, 300);
    await page.mouse.wheel(0, 50);
    await settle(page);
    assert.ok((await camera()).y > first.y, 'the wheel moves');
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -100);
    await page.keyboard.up('Control');
    await settle(page);
    assert.ok((await camera()).zoom > first.zoom, 'with Ctrl it zooms');
    const before = await camera();
    await page.mouse.move(200, 600);
    await page.mouse.down();
    await page.mouse.move(260, 560, { steps: 4 });
    await page.mouse.up();
    assert.ok((await camera()).x < before.x && (await camera()).y > before.y, 'a drag moves');
    assert.equal(await hash(page), '', 'a drag selects nothing');
    const cdp = await page.context().newCDPSession(page);
    const touch = (type, ...points) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    const apart = await camera();
    await touch('touchStart', [300, 300], [400, 300]);
    for (let k = 1; k <= 5; k++)
      await touch('touchMove', [300 - 12 * k, 300], [400 + 12 * k, 300]);
    await touch('touchEnd');
    assert.ok((await camera()).zoom > 1.5 * apart.zoom, 'two fingers zoom');
  },

  async 'paper: the picture as it is open, in pages'(page) {
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    assert.ok(await page.locator('#paper canvas').first().isVisible());
    assert.equal(await page.locator('#bar').isVisible(), false);
    const pdf = await page.pdf();
    assert.ok(pdf.length > 5000);
  },
  async 'paper: each part on a page of its own, with what colours mean'(page) {
    const pages = async () => ((await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g) || []).length;
    const drawn = async () => {
      await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
      return page.locator('#paper canvas').count();
    };
    assert.equal(await pages(), await drawn());
    assert.ok(await page.locator('#paper .key li').count() > 0);
    assert.match(await page.locator('#paper h1').textContent(), /./);
    const canvas = page.locator('#paper canvas').first();
    const [width, shown] = await canvas.evaluate((element) => [element.width, parseFloat(element.style.width)]);
    assert.equal(width, 2 * shown);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    assert.equal(await page.locator('#paper *').count(), 0);
  },
};

const others = {
  async 'an address of a node, and another one'() {
    const page = await open(fileOf('layers'), { hash: '#node=layer5%2Fadd' });
    await panelSays(page, 'layer5/add');
    await page.evaluate(() => { location.hash = '#node=cond'; });
    await panelSays(page, 'cond');
    await page.evaluate(() => { location.hash = '#block=1'; });
    await panelSays(page, '24');
    for (const bad of ['#node=nobody', '#node=%E0%A4%A', '#at=1e9', '#block=77.3@9', '#block=x'])
      await page.evaluate((h) => { location.hash = h; }, bad);
    return page;
  },

  async 'light and dark, by the system and by hand'() {
    const page = await open(fileOf('layers'), { colorScheme: 'dark' });
    const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(dark, 'rgb(18, 21, 27)');
    await page.keyboard.press('d');
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(246, 247, 249)');
    return page;
  },

  async 'numbers as colours, with a legend that switches them off'() {
    const page = await open(fileOf('overlay'));
    assert.match(await page.locator('#legend').innerText(), /ms\s+0\s+10/);
    await page.evaluate(() => document.getElementById('graph').scene.goToNode(1));
    await panelSays(page, 'ms');
    const colour = () => page.evaluate(() => {
      const { scene } = document.getElementById('graph');
      return scene.painter.colours(scene.root, scene.model.firstItem[0] + 1)[0];
    });
    const on = await colour();
    await page.getByLabel('ms').uncheck();
    assert.notEqual(await colour(), on);
    return page;
  },

  async 'a diff: signs, counts, from change to change'() {
    const page = await open(fileOf('diff'));
    await page.waitForFunction(() => document.getElementById('legend').textContent.includes('('));
    assert.match(await page.locator('#legend').innerText(), /added \(1\)[\s\S]*removed \(1\)[\s\S]*changed \(1\)/);
    await panelSays(page, '~ input x');
    await page.keyboard.press('n');
    await panelSays(page, '+ added');
    await page.getByRole('button', { name: 'Next' }).click();
    await panelSays(page, 'removed');
    await page.keyboard.press('n');
    await panelSays(page, '~ changed');
    await panelSays(page, '-1 \u2192 1');
    await page.keyboard.press('N');
    await panelSays(page, 'removed');
    return page;
  },

  async 'what is gone to is not behind the small map'() {
    const page = await open(fileOf('stairs'), { viewport: { width: 900, height: 420 } });
    const covered = await page.evaluate(async () => {
      const { scene } = document.getElementById('graph');
      const found = [];
      for (let node = 0; node < scene.model.nodeCount; node++) {
        scene.goToNode(node);
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
        const [map, graph] = ['map', 'graph'].map((name) => document.getElementById(name).getBoundingClientRect());
        const box = scene.selected.frame.box(scene.selected.item);
        const at = scene.camera.toScreen(box.x, box.y);
        const size = { w: box.w * scene.camera.zoom, h: box.h * scene.camera.zoom };
        if (at.x < 0 || at.y < 0 || at.x + size.w > graph.width || at.y + size.h > graph.height ||
            (map.width && at.x + size.w > map.left - graph.left && at.y + size.h > map.top - graph.top))
          found.push(node);
      }
      return found;
    });
    assert.deepEqual(covered, []);
    return page;
  },

  async 'tensors without a graph: areas'() {
    const page = await open(fileOf('tensors'));
    assert.match(await panel(page), /float32 \(3\)[\s\S]*float16 \(2\)/);
    const box = await page.locator('#graph').boundingBox();
    await page.mouse.click(box.x + box.width * 0.8, box.y + box.height * 0.3);
    await panelSays(page, 'bias');
    await page.keyboard.press('/');
    await page.keyboard.type('encoder.u');
    await page.keyboard.press('Enter');
    await panelSays(page, 'encoder.u');
    await page.click('#tree-button');
    assert.match(await page.locator('#tree').ariaSnapshot(), /treeitem "encoder"/);
    await page.locator('#tree').getByText('encoder', { exact: true }).first().click();
    assert.match(await panel(page), /Tensors[\s\S]*encoder\.w[\s\S]*float32 \[4, 4\][\s\S]*encoder\.v/);
    return page;
  },

  async 'areas fill the screen, whatever its shape'() {
    const page = await open(fileOf('tensors'), { viewport: { width: 1400, height: 500 } });
    for (const [width, height] of [[1400, 500], [900, 1100]]) {
      await page.setViewportSize({ width, height });
      await settle(page);
      const [w, h, mapWidth, mapHeight] = await page.evaluate(() => {
        const { camera, world } = document.getElementById('graph').scene;
        return [camera.width, camera.height, world.w * camera.zoom, world.h * camera.zoom];
      });
      near(mapWidth, w - 24, 'width');
      near(mapHeight, h - 24, 'height');
    }
    return page;
  },

  async 'a file without anything to draw says so'() {
    const page = await open(fileOf('nothing'));
    assert.match(await page.locator('#wait').innerText(), /no operators and no tensors/);
    return page;
  },

  async 'a wide block is opened where it begins'() {
    const page = await open(fileOf('wide'), { viewport: { width: 700, height: 500 } });
    await page.evaluate(() => {
      const { scene } = document.getElementById('graph');
      scene.open(scene.root, 0);
    });
    const [left, right, width] = await page.evaluate(() => {
      const { scene } = document.getElementById('graph');
      const frame = scene.root.open.get(0);
      const box = frame.box(scene.model.firstItem[frame.block]);
      const { camera } = scene;
      return [camera.toScreen(box.x, box.y).x, camera.toScreen(box.x + box.w, box.y).x, camera.width];
    });
    assert.ok(left >= 0 && right <= width, `the first box is at ${left} to ${right} of ${width}`);
    return page;
  },

  async 'the first view shows what the graph begins with'() {
    const page = await open(fileOf('aside'), { viewport: { width: 900, height: 500 } });
    for (const label of ['left', 'right']) {
      const { x, w } = await place(page, label);
      assert.ok(x >= 0 && x + w <= 900 - 320, `${label}: ${x} to ${x + w}`);
    }
    return page;
  },

  async 'a graph that has room beside the small map does not begin behind it'() {
    const page = await open(fileOf('chain'), { viewport: { width: 900, height: 500 } });
    const map = await page.locator('#map').boundingBox();
    const { x, w } = await place(page, 'step 5');
    assert.ok(x >= 0 && x + w <= map.x, `${x} to ${x + w}, map at ${map.x}`);
    return page;
  },

  async 'each of several equal operators is found, stepped to and addressed'() {
    const page = await open(fileOf('equal'), { hash: '#node=fourth' });
    await panelSays(page, '4 of 4');
    await panelSays(page, 'fourth:0');
    await page.keyboard.press('/');
    await page.keyboard.type('second');
    await page.locator('#hits [role=option]').first().waitFor();
    await page.keyboard.press('Enter');
    await panelSays(page, 'second:0');
    assert.equal(await hash(page), '#node=second');
    await page.keyboard.press('Escape');
    const next = page.getByRole('button', { name: 'Next copy' });
    await next.focus();
    await page.keyboard.press('Enter');
    await panelSays(page, 'third:0');
    assert.ok(await next.evaluate((e) => e === document.activeElement), 'the next step is one key away');
    await page.focus('#graph');
    await page.keyboard.press('[');
    await page.keyboard.press('[');
    await page.keyboard.press('[');
    await panelSays(page, 'fourth:0');
    await page.click('#tree-button');
    assert.match(await page.locator('#tree').ariaSnapshot(), /treeitem "Relu 4 of 4 fourth"/);
    assert.deepEqual(await axeFindings(page), []);
    return page;
  },

  async 'many nodes: opened, searched, addressed'() {
    const page = await open(fileOf('large', 30000, 30000));
    await page.keyboard.press('/');
    await page.keyboard.type('node29999');
    await page.keyboard.press('Enter');
    await panelSays(page, 'part1/node29999');
    await page.click('#tree-button');
    await page.keyboard.press('Home');
    await panelSays(page, 'part1/node0');
    assert.ok(await page.locator('#tree [role=treeitem]').count() < 60, 'rows in view are all there is');
    await page.keyboard.press('0');
    await settle(page);
    return page;
  },

  async 'a damaged page says so'() {
    const file = path.join(folder, 'damaged.html');
    fs.writeFileSync(file, madePage(head, Buffer.from(tail), cases.layers()).toString('latin1').replace(/(id="tenon-picture">.{40}).{30}/, '$1' + 'A'.repeat(30)), 'latin1');
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto('file://' + file);
    await page.getByText('cannot show its model').waitFor({ timeout: 5000 });
    await context.close();
    return null;
  },

  async 'a small screen'() {
    const page = await open(fileOf('layers'), { viewport: { width: 390, height: 700 }, hasTouch: true });
    assert.equal(await page.locator('#panel-side').isVisible(), false);
    await page.click('#panel-button');
    assert.ok(await page.locator('#panel-side').isVisible());
    await page.click('#panel-button');
    await page.fill('#query', 'layer');
    await page.locator('#hits [role=option]').first().waitFor();
    const found = await page.locator('#found').boundingBox();
    assert.ok(found.x >= 0 && found.x + found.width <= 390, JSON.stringify(found));
    return page;
  },
};

// axe-core finds nothing, in any state of the page.
for (const colorScheme of ['light', 'dark'])
  others[`axe-core, ${colorScheme}`] = async () => {
    const page = await open(fileOf('diff'), { colorScheme });
    const states = {
      first: async () => {},
      'a node is selected': () => page.evaluate(() => document.getElementById('graph').scene.goToNode(1)),
      'the outline is open': () => page.click('#tree-button'),
      'matches are listed': async () => {
        await page.fill('#query', 'layer');
        await page.locator('#hits [role=option]').first().waitFor();
      },
      'keys are listed': () => page.click('#help-button'),
    };
    for (const [name, act] of Object.entries(states)) {
      await act();
      await settle(page);
      assert.deepEqual(await axeFindings(page), [], name);
    }
    return page;
  };
others['axe-core, details that are longer than the screen'] = async () => {
  const page = await open(fileOf('layers'), { viewport: { width: 1000, height: 200 } });
  assert.deepEqual(await axeFindings(page), []);
  return page;
};
others['axe-core, numbers and areas'] = async () => {
  for (const name of ['overlay', 'tensors']) {
    const page = await open(fileOf(name));
    assert.deepEqual(await axeFindings(page), [], name);
    assert.deepEqual(await close(page), []);
  }
  return null;
};

let failed = 0;
for (const [name, test] of [...Object.entries(tests), ...Object.entries(others)]) {
  if (only && !name.includes(only))
    continue;
  let page = null;
  try {
    if (test.length) {
      page = await open(fileOf('layers'));
      await test(page);
    } else {
      page = await test();
    }
    if (page)
      assert.deepEqual(await close(page), [], 'problems of the page');
    console.log('ok    ' + name);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}\n      ${error.stack}`);
  }
}
await browser.close();
process.exitCode = failed ? 1 : 0;
