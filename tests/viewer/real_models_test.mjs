// real_models_test.mjs COMMAND DATA [--update] - what `tenon view` writes, in Chromium
//
// Each model becomes a page; the page opens without a complaint, axe-core finds
// nothing, and the picture is the one in kept/, up to a few pixels.  Pixels are
// compared only where the fonts are those of the kept pictures.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readPage } from './read_page.mjs';
import { startChromium, temporaryFolder, axeFindings, moduleOf, wanted, skip } from './browser.mjs';

const [command, data] = process.argv.slice(2);
const update = process.argv.includes('--update');
const kept = path.join(path.dirname(fileURLToPath(import.meta.url)), 'kept');
const MODELS = [
  // name, file, theme, words that the page shows at first, a search and its first match
  ['bert-qa-small', 'onnx/bert-qa-small.onnx', 'light', /3,836 operators/, 'layer_._5/intermediate'],
  ['basic-pitch', 'onnx/basic-pitch.onnx', 'dark', /248 operators/, 'Conv'],
  ['slim-320', 'onnx/pairs/slim-320/version-slim-320.onnx', 'light', /217 operators/, 'BatchNormalization'],
  ['imagenet-qdq', 'onnx/imagenet-qdq.onnx', 'dark', /724 operators/, 'QuantizeLinear'],
  ['face-detect', 'paddle/face-detect/model.pdmodel', 'light', /214 operators/, 'conv2d'],
  ['lenet', 'samediff/models/lenet_mnist_fb_named.zip', 'light', /15 operators/, 'maxpool'],
  ['enhance-parameters', 'paddle/image-enhance/model_0.pdparams', 'light', /195 tensors/, 'conv.weight'],
];

if (!data || !MODELS.every(([, file]) => fs.existsSync(path.join(data, file))))
  skip('wants real models: onnx, paddle, samediff');
const { PNG } = wanted('pngjs');
const { default: pixelmatch } = await moduleOf('pixelmatch');
const folder = temporaryFolder();
const { browser, open, close } = await startChromium();

// Whether text has the widths of the font that pictures were kept with.
const hasKeptFont = (page) => page.evaluate(() => {
  const ctx = document.createElement('canvas').getContext('2d');
  ctx.font = '600 13px system-ui, "DejaVu Sans", sans-serif';
  return Math.abs(ctx.measureText('Unsqueeze').width - 80.13) < 0.2;
});

function compare(name, shot) {
  const file = path.join(kept, name + '.png');
  if (update) {
    fs.mkdirSync(kept, { recursive: true });
    fs.writeFileSync(file, PNG.sync.write(PNG.sync.read(shot), { deflateLevel: 9, colorType: 2 }));
    return;
  }
  const [a, b] = [PNG.sync.read(shot), PNG.sync.read(fs.readFileSync(file))];
  assert.deepEqual([a.width, a.height], [b.width, b.height]);
  const other = new PNG({ width: a.width, height: a.height });
  const pixels = pixelmatch(a.data, b.data, other.data, a.width, a.height, { threshold: 0.15 });
  const share = pixels / (a.width * a.height);
  if (share > 0.01) {
    const place = path.join(process.env.TMPDIR || '/tmp', `tenon-viewer-${name}.png`);
    fs.writeFileSync(place, shot);
    assert.fail(`${(100 * share).toFixed(2)} % of the pixels differ from ${file}: see ${place}; --update keeps what is right`);
  }
}

// The way to every node leads to it, through functions and subgraphs.
async function checkPaths(file) {
  const model = await readPage(file);
  for (let position = 0; position < model.nodeCount; position++) {
    let start = 0;
    let block = 0;
    let node = -1;
    for (const { item, copy } of model.pathOf(position)) {
      assert.ok(item >= model.firstItem[block] && item < model.firstItem[block + 1] && copy < model.repeat[item], `the way to node ${position}`);
      node = model.nodeOf(item, start, copy);
      start = model.startOf(item, start, copy);
      block = model.blockOf(item);
    }
    assert.equal(node, position, `the way to node ${position}`);
  }
}

// What the panel says: how a model is called, and the types of inner values, of
// which at least a share is known.
async function checkPanel(file, rows, share) {
  const model = await readPage(file);
  for (const row of rows)
    assert.ok(model.header.summary.some((is) => is[0] === row[0] && is[1] === row[1]), `${row} in ${JSON.stringify(model.header.summary)}`);
  const types = model.column('value_type');
  const known = types.reduce((sum, type) => sum + (type !== 0), 0);
  assert.ok(known >= share * types.length, `${known} of ${types.length} types`);
}

const PANELS = [
  ['tensorflow/saved_model/basic-pitch', [['signature', 'serving_default'], ['input', 'input_2  float32 [?, 43844, 1]'], ['output', 'note  float32 [?, 172, 88]']], 0],
  ['onnx/basic-pitch.onnx', [], 0.9],
  ['onnx/bert-qa-small.onnx', [['input', 'input_ids  int32 [batch_size, 7]']], 0.9],
  ['paddle/face-detect/model.pdmodel', [['input', 'image  float32 [?, 3, ?, ?]']], 0.9],
  ['tensorflow/frozen/lenet-mnist.pb', [['input', 'input  float32'], ['output', 'output']], 0.5],
];

let failed = 0;
for (const [model, rows, share] of PANELS) {
  if (!fs.existsSync(path.join(data, model)))
    continue;
  try {
    const file = path.join(folder, 'panel-' + path.basename(model) + '.html');
    execFileSync(command, ['view', path.join(data, model), '-o', file, '--quiet']);
    await checkPanel(file, rows, share);
    console.log('ok    panel of ' + model);
  } catch (error) {
    failed++;
    console.log(`FAIL  panel of ${model}\n      ${error.stack}`);
  }
}
for (const model of ['tensorflow/saved_model/basic-pitch', 'tensorflow/saved_model/while_loop', 'onnx/silero-vad.onnx', 'onnx/nested-loops.onnx']) {
  if (!fs.existsSync(path.join(data, model)))
    continue;
  try {
    const file = path.join(folder, 'paths-' + path.basename(model) + '.html');
    execFileSync(command, ['view', path.join(data, model), '-o', file, '--quiet']);
    await checkPaths(file);
    console.log('ok    paths of ' + model);
  } catch (error) {
    failed++;
    console.log(`FAIL  paths of ${model}\n      ${error.stack}`);
  }
}
// What the picture of a comparison says about a node and about the model.
try {
  const text = (size, axis, weight) => `ir_version: 8 opset_import { version: 13 } graph { name: "g"
    node { input: "x" input: "w" output: "h" name: "a" op_type: "Add" }
    node { input: "h" output: "y" name: "b" op_type: "Softmax" attribute { name: "axis" type: INT i: ${axis} } }
    initializer { name: "w" data_type: 1 dims: 2 float_data: [1, ${weight}] }
    input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: ${size} } dim { dim_value: 2 } } } } }
    output { name: "y" type { tensor_type { elem_type: 1 } } } }`;
  const [left, right, both] = ['left.pbtxt', 'right.pbtxt', 'both.html'].map((name) => path.join(folder, name));
  fs.writeFileSync(left, text(1, -1, 2));
  fs.writeFileSync(right, text(3, 1, 2.5));
  spawnSync(command, ['diff', left, right, '--html', both, '--quiet']);
  const model = await readPage(both);
  const changesOf = (operator) => model.changes([...Array(model.nodeCount).keys()].find((node) => model.operator(node) === operator));
  assert.deepEqual(model.header.diff.changes, [['~ input x', 'float32 [1,2] \u2192 float32 [3,2]']]);
  assert.deepEqual(changesOf('Softmax'), [['axis', '-1 \u2192 1']]);
  assert.deepEqual(changesOf('Add'), [['w', '1 of 2 elements, by up to 0.5 (relative 0.2)']]);
  console.log('ok    changes of a comparison');
} catch (error) {
  failed++;
  console.log(`FAIL  changes of a comparison\n      ${error.stack}`);
}
// Types beside lines: of several values only if they agree.
try {
  const labelsOf = async (name, sizeOf) => {
    const [file, page] = [path.join(folder, name + '.pbtxt'), path.join(folder, name + '.html')];
    const each = (text) => Array.from({ length: 40 }, (_, k) => text(k)).join('\n');
    const io = (field, name, size) => `${field} { name: "${name}" type { tensor_type { elem_type: 1 shape { dim { dim_value: ${size} } } } } }`;
    fs.writeFileSync(file, `ir_version: 8 opset_import { version: 13 } graph { name: "g"
      ${each((k) => `node { input: "x${k}" output: "y${k}" op_type: "Relu" }`)}
      ${each((k) => io('input', 'x' + k, sizeOf(k)))} ${each((k) => io('output', 'y' + k, sizeOf(k)))} }`);
    execFileSync(command, ['view', file, '-o', page, '--quiet']);
    const model = await readPage(page);
    const weights = model.column('edge_weight');
    return [...new Set([...model.column('edge_label')].filter((_, k) => weights[k] > 1).map((label) => model.label(label)))];
  };
  assert.deepEqual(await labelsOf('unlike', (k) => k + 1), ['']);
  assert.deepEqual(await labelsOf('alike', () => 4), ['float32 [4]']);
  console.log('ok    types beside lines');
} catch (error) {
  failed++;
  console.log(`FAIL  types beside lines\n      ${error.stack}`);
}
for (const [name, model, colorScheme, facts, search] of MODELS) {
  try {
    const file = path.join(folder, name + '.html');
    execFileSync(command, ['view', path.join(data, model), '-o', file, '--quiet']);
    await checkPaths(file);
    const page = await open(file, { colorScheme, viewport: { width: 640, height: 460 } });
    assert.match(await page.locator('#facts').textContent(), facts);
    if (await hasKeptFont(page))
      compare(name, await page.screenshot());
    else
      console.log(`skipped: pixels of ${name}: wants the font DejaVu Sans as the system's`);
    await page.setViewportSize({ width: 1000, height: 700 });
    assert.deepEqual(await axeFindings(page), []);
    await page.keyboard.press('/');
    await page.keyboard.type(search);
    await page.locator('#hits [role=option]').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('#panel .crumbs'), null, { timeout: 5000 });
    const selected = await page.evaluate(() => {
      const { scene } = document.getElementById('graph');
      return scene.model.name(scene.nodeOf(scene.selected)) + ' ' + scene.model.operator(scene.nodeOf(scene.selected)) + ' ' + location.hash;
    });
    assert.match(selected, /#(node|at)=/);
    await page.keyboard.press('Escape');
    await page.click('#tree-button');
    await page.keyboard.press('Home');
    assert.deepEqual(await axeFindings(page), []);
    assert.deepEqual(await close(page), []);
    console.log('ok    ' + name);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}\n      ${error.stack}`);
  }
}
await browser.close();
process.exitCode = failed ? 1 : 0;
