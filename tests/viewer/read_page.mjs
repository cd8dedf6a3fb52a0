// read_page.mjs - the data of a page, read with the page's own code
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { fileURLToPath } from 'node:url';

const viewer = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../viewer');

// Files of the page are modules without a package.json: they are loaded as such.
const addressOf = (name) => {
  const text = fs.readFileSync(path.join(viewer, name + '.js'), 'utf8');
  const whole = text.replace(/from '\.\/(\w+)\.js'/g, (_, other) => `from '${addressOf(other)}'`);
  return 'data:text/javascript;base64,' + Buffer.from(whole).toString('base64');
};
export const loadPart = (name) => import(addressOf(name));

// The model in a page that `tenon view` wrote, with all its streams.
export async function readPage(file) {
  const { readHeader } = await loadPart('stream');
  const { Model } = await loadPart('model');
  const streams = new Map();
  for (const [, name, text] of fs.readFileSync(file, 'latin1').matchAll(/octet-stream" id="tenon-(\w+)">([^<]*)</g))
    streams.set(name, new Uint8Array(zlib.inflateRawSync(Buffer.from(text, 'base64'))));
  const { header, end } = readHeader(streams.get('picture'));
  const model = new Model(header, streams.get('picture'), end);
  for (const [name, bytes] of streams)
    if (name !== 'picture')
      model.keep(header.streams.indexOf(name), bytes, 0);
  return model;
}
