// node ranges.mjs FOLDER [DELAY]: files with ranges, each answer DELAY ms late.
// Prints its port.  /log = JSON of requests with the bytes sent; DELETE /log
// empties it.  A path that begins with /plain/ ignores ranges.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

const [, , folder, delay = '0'] = process.argv;
let log = [];

function send(request, response) {
  const url = new URL(request.url, 'http://x');
  if (url.pathname === '/log') {
    response.end(JSON.stringify(log));
    if (request.method === 'DELETE') log = [];
    return;
  }
  const name = decodeURIComponent(url.pathname).replace(/^\/plain/, '');
  const file = path.join(folder, name);
  const about = { url: request.url, range: request.headers.range, bytes: 0,
    authorization: request.headers.authorization };
  log.push(about);
  const found = !name.includes('..') && fs.existsSync(file) &&
    fs.statSync(file).isFile();
  if (!found) {
    response.writeHead(404).end();
    return;
  }
  const { size, mtimeMs } = fs.statSync(file);
  const etag = `"${size}-${mtimeMs}"`;
  const wanted = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range || '');
  if (request.headers['if-match'] && request.headers['if-match'] !== etag) {
    response.writeHead(412).end();
    return;
  }
  let first = 0, last = size - 1;
  if (wanted && !url.pathname.startsWith('/plain/')) {
    if (wanted[1]) first = Number(wanted[1]);
    else first = Math.max(0, size - Number(wanted[2]));
    if (wanted[1] && wanted[2]) last = Math.min(last, Number(wanted[2]));
    if (first > last) {
      response.writeHead(416, { 'Content-Range': `bytes */${size}` }).end();
      return;
    }
    response.writeHead(206, { ETag: etag, 'Content-Length': last - first + 1,
      'Content-Range': `bytes ${first}-${last}/${size}` });
  } else {
    response.writeHead(200, { ETag: etag, 'Content-Length': size });
  }
  about.bytes = last - first + 1;
  if (size === 0) response.end();
  else fs.createReadStream(file, { start: first, end: last }).pipe(response);
}

const server = http.createServer((request, response) =>
  setTimeout(send, Number(delay), request, response));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
