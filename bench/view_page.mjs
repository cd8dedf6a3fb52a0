// view_page.mjs PAGE.html... - a page of `tenon view` in Chromium: one line of JSON each
//
//   drawn_ms   from the beginning of navigation to the first picture
//   ready_ms   until keys and mouse act
//   tab_mib    memory of the tab's process, less that of an empty page
//   fps        frames a second while the picture is moved
//   search_ms  from a key to the list of matches, names decoded before
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startChromium, ready } from '../tests/viewer/browser.mjs';

const { browser } = await startChromium();
const session = await browser.newBrowserCDPSession();

async function memoryOf(action) {
  const before = new Set((await session.send('SystemInfo.getProcessInfo')).processInfo.filter((p) => p.type === 'renderer').map((p) => p.id));
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const result = await action(page);
  const cdp = await context.newCDPSession(page);
  await cdp.send('HeapProfiler.collectGarbage');
  const renderers = (await session.send('SystemInfo.getProcessInfo')).processInfo.filter((p) => p.type === 'renderer' && !before.has(p.id));
  const kib = renderers.map((p) => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${p.id}/status`, 'utf8'))[1]));
  await context.close();
  return { ...result, kib: Math.max(...kib) };
}

const panning = () => new Promise((done) => {
  const { scene } = document.getElementById('graph');
  const first = scene.model.firstItem[0];
  for (let item = first; item < scene.model.firstItem[1] && !scene.root.open.size; item++)
    if (scene.root.canOpen(item))
      scene.open(scene.root, item);
  scene.camera.zoom = 0.35;
  let frames = 0;
  const start = performance.now();
  const step = () => {
    scene.pan(7, 41);
    frames++;
    if (performance.now() - start < 2000)
      requestAnimationFrame(step);
    else
      done((frames * 1000) / (performance.now() - start));
  };
  requestAnimationFrame(step);
});

async function measure(file) {
  const address = pathToFileURL(path.resolve(file)).href;
  return memoryOf(async (page) => {
    await page.goto(address);
    await ready(page);
    const [drawn, done] = await page.evaluate(() => ['tenon-drawn', 'tenon-ready'].map((name) => performance.getEntriesByName(name)[0].startTime));
    const fps = await page.evaluate(panning);
    const found = async (text) => {
      await page.evaluate(() => performance.clearMarks('tenon-found'));
      const start = await page.evaluate(() => performance.now());
      await page.fill('#query', text);
      await page.waitForFunction(() => performance.getEntriesByName('tenon-found').length > 0, null, { timeout: 60000 });
      return (await page.evaluate(() => performance.getEntriesByName('tenon-found')[0].startTime)) - start;
    };
    await found('conv');
    const search = await found('node7');
    return { drawn, done, fps, search };
  });
}

const empty = await memoryOf(async (page) => { await page.goto('about:blank'); return {}; });
for (const file of process.argv.slice(2)) {
  const m = await measure(file);
  console.log(JSON.stringify({ page: path.basename(file), file_mb: +(fs.statSync(file).size / 1e6).toFixed(2), drawn_ms: Math.round(m.drawn), ready_ms: Math.round(m.done),
    tab_mib: Math.round((m.kib - empty.kib) / 1024), fps: +m.fps.toFixed(1), search_ms: Math.round(m.search) }));
}
await browser.close();
