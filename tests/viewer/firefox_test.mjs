// firefox_test.mjs GENERATED - the page in Firefox, where it is installed
//
// The same page from a file: it opens, draws, finds, opens a block by mouse, and
// axe-core finds nothing.  Firefox is driven over WebDriver BiDi.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { axeSource, moduleOf, programOf, temporaryFolder } from './browser.mjs';
import { madePage } from './made_page.mjs';
import * as cases from './cases.mjs';

const generated = process.argv[2];
const executablePath = programOf('FIREFOX', ['/usr/bin/firefox-esr', '/usr/bin/firefox'], 'Firefox');
const { default: puppeteer } = await moduleOf('puppeteer-core');
const folder = temporaryFolder();
const file = path.join(folder, 'layers.html');
fs.writeFileSync(file, madePage(fs.readFileSync(path.join(generated, 'viewer_head.html')), fs.readFileSync(path.join(generated, 'viewer_tail.html')), cases.layers()));

const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true, timeout: 90000,
  env: { ...process.env, HOME: folder, MOZ_DISABLE_CONTENT_SANDBOX: '1' } });
try {
  const page = await browser.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || problems.push(request.url()));
  await page.setViewport({ width: 1000, height: 700 });
  await page.goto(pathToFileURL(file).href + '#node=layer3%2Fadd');
  await page.waitForFunction(() => document.getElementById('panel').textContent.includes('layer3/add'), { timeout: 20000 });
  await page.keyboard.press('1');
  const at = await page.evaluate(() => {
    const canvas = document.getElementById('graph');
    const { scene } = canvas;
    const box = scene.root.box(scene.model.firstItem[0] + 1);
    const rect = canvas.getBoundingClientRect();
    const { x, y } = scene.camera.toScreen(box.x + 14, box.y + box.h / 2);
    return { x: rect.left + x, y: rect.top + y };
  });
  await page.mouse.click(at.x, at.y);
  assert.equal(await page.evaluate(() => document.getElementById('graph').scene.root.open.size), 1);
  await page.keyboard.press('/');
  await page.keyboard.type('layer9/relu');
  await page.waitForFunction(() => document.querySelectorAll('#hits [role=option]').length === 1, { timeout: 10000 });
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.getElementById('panel').textContent.includes('layer9/relu'), { timeout: 10000 });
  const pixels = await page.evaluate(() => {
    const canvas = document.getElementById('graph');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.ok(pixels > 20, `${pixels} colours`);
  await page.evaluate(axeSource());
  const found = await page.evaluate(async () => (await window.axe.run()).violations.map((v) => v.id + ' ' + v.nodes[0].html.slice(0, 100)));
  assert.deepEqual(found, []);
  assert.deepEqual(problems, []);
  console.log('ok');
} finally {
  await browser.close();
}
