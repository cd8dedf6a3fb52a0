// litert.mjs - LiteRT in a headless browser: models and inputs in, outputs out
//
//     node litert.mjs MODULES FOLDER
//
// MODULES has @litertjs/core and playwright-core.  FOLDER has for each case
// NAME.tflite and NAME.in.json, a list of {dtype, shape, data} in the order of the
// inputs; NAME.out.json becomes the list of outputs, or {error}.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createRequire } from 'node:module';

const [modules, folder] = process.argv.slice(2).map(name => path.resolve(name));
const require = createRequire(path.join(modules, 'x.js'));
const { chromium } = require('playwright-core');
const packages = path.join(modules, 'node_modules', '@litertjs');

// Its table has three types; kernels have more.
const types = `[
  ["float32", Float32Array, 1], ["int32", Int32Array, 2], ["uint8", Uint8Array, 3],
  ["int64", BigInt64Array, 4], ["bool", Uint8ClampedArray, 6], ["int16", Int16Array, 7],
  ["int8", Int8Array, 9], ["uint32", Uint32Array, 16],
].map(([dtype, typedArrayConstructor, elementType]) => ({ dtype, typedArrayConstructor, elementType }))`;

function script() {
    const text = fs.readFileSync(path.join(packages, 'core/dist/index.js'), 'utf8');
    return text.replace(/Object\.freeze\(\[[\s\S]*?\]\)/, types)
        .replaceAll('"@litertjs/wasm-utils"', '"/wasm-utils/dist/index.js"');
}

const kinds = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
const server = http.createServer((request, answer) => {
    const name = decodeURIComponent(request.url);
    const send = (body, kind) => answer.writeHead(200, { 'content-type': kind || 'application/octet-stream' }).end(body);
    try {
        if (name === '/') send('<title>LiteRT</title>', kinds['.html']);
        else if (name === '/core.js') send(script(), kinds['.js']);
        else if (name.startsWith('/cases/')) send(fs.readFileSync(path.join(folder, path.basename(name))));
        else send(fs.readFileSync(path.join(packages, path.normalize(name))), kinds[path.extname(name)]);
    } catch (error) {
        answer.writeHead(404).end(String(error));
    }
});
await new Promise(ready => server.listen(0, '127.0.0.1', ready));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });

async function open() {
    const page = await browser.newPage();
    await page.goto(origin);
    await page.evaluate(async () => {
        globalThis.litert = await import('/core.js');
        await litert.loadLiteRt('/core/wasm/');
    });
    return page;
}

function run({ name, inputs }) {
    const wide = { float32: Float32Array, int32: Int32Array, uint8: Uint8Array, int64: BigInt64Array,
                   bool: Uint8ClampedArray, int16: Int16Array, int8: Int8Array, uint32: Uint32Array };
    return (async () => {
        const model = await litert.loadAndCompile('/cases/' + name + '.tflite', { accelerator: 'wasm' });
        const tensors = inputs.map(one => new litert.Tensor(
            wide[one.dtype].from(one.data, one.dtype === 'int64' ? BigInt : undefined), one.shape));
        const outputs = await model.run(tensors);
        const made = [];
        for (const one of outputs)
            made.push({ shape: [...one.type.layout.dimensions], dtype: one.type.dtype,
                        data: Array.from(await one.data(), item => typeof item === 'bigint' ? String(item) : Number.isFinite(item) ? item : String(item)) });
        return made;
    })();
}

let page = await open();
for (const file of fs.readdirSync(folder).filter(file => file.endsWith('.in.json')).sort()) {
    const name = file.slice(0, -'.in.json'.length);
    const inputs = JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8'));
    let result;
    try {
        result = await Promise.race([page.evaluate(run, { name, inputs }),
                                     new Promise((_, no) => setTimeout(() => no(new Error('no answer')), 20000))]);
    } catch (error) {
        result = { error: String(error.message || error).split('\n')[0] };
        await page.close().catch(() => 0);
        page = await open(); // a tab may have died
    }
    fs.writeFileSync(path.join(folder, name + '.out.json'), JSON.stringify(result));
}
await browser.close();
server.close();
