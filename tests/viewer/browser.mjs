// browser.mjs - a headless browser, and what no page may do in it
//
// skip() ends the script with 77 where a browser or a package is missing.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const engines = path.resolve(process.env.TN_ENGINES || 'build/engines');
const require = createRequire(engines + '/');

export function skip(reason) {
  console.log('skipped: ' + reason);
  process.exit(77);
}

export function wanted(name) {
  try {
    return require(name);
  } catch {
    return skip(`wants the npm package ${name}: tests/engines/install build/engines`);
  }
}

export function programOf(variable, names, what) {
  const found = [process.env[variable], ...names].find((name) => name && fs.existsSync(name));
  return found || skip(`wants ${what}`);
}

export async function moduleOf(name) {
  wanted(name + '/package.json');
  return import(pathToFileURL(require.resolve(name)));
}

export const axeSource = () => fs.readFileSync(require.resolve('axe-core'), 'utf8');

export function temporaryFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tenon-viewer-'));
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Starts Chromium.  open(file) returns a page; its `problems` are errors, requests
// that leave the file, violations of the policy and dialogs.
export async function startChromium() {
  const { chromium } = wanted('playwright-core');
  const executablePath = programOf('CHROMIUM', ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'], 'Debian\'s package chromium-headless-shell');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--force-color-profile=srgb', '--enable-precise-memory-info'] });
  const open = async (file, { hash = '', ...options } = {}) => {
    const context = await browser.newContext({ viewport: { width: 1000, height: 700 }, reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    page.problems = [];
    page.on('pageerror', (error) => page.problems.push('error: ' + error));
    page.on('console', (message) => message.type() === 'error' && page.problems.push('console: ' + message.text()));
    page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || page.problems.push('request: ' + request.url()));
    page.on('dialog', (dialog) => { page.problems.push('dialog: ' + dialog.message()); dialog.dismiss(); });
    await page.addInitScript(() => {
      window.violations = [];
      addEventListener('securitypolicyviolation', (e) => window.violations.push(`${e.effectiveDirective} ${e.blockedURI}`));
    });
    await page.goto(pathToFileURL(path.resolve(file)).href + hash);
    await ready(page);
    return page;
  };
  const close = async (page) => {
    const found = [...page.problems, ...(await page.evaluate(() => window.violations)).map((v) => 'policy: ' + v)];
    await page.context().close();
    return found;
  };
  return { browser, open, close };
}

export function ready(page) {
  return page.waitForFunction(() => performance.getEntriesByName('tenon-ready').length > 0, null, { timeout: 30000 });
}

// What axe-core says against the page as it is now.
export async function axeFindings(page) {
  if (!(await page.evaluate(() => 'axe' in window)))
    await page.evaluate(axeSource());
  const result = await page.evaluate(() => window.axe.run());
  return result.violations.map((v) => `${v.id} (${v.impact}): ${v.nodes.map((n) => n.html.slice(0, 120) + ' ' + (n.any[0] ? n.any[0].message : '')).slice(0, 3).join(' | ')}`);
}
