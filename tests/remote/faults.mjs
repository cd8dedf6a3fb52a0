// node faults.mjs FILE [PORT]: one file, many broken servers. GET http://127.0.0.1:PORT/<fault>/anything ; GET /log = JSON of all requests, DELETE /log resets it.
// Only node's own modules. PORT 0 picks a free one; the first line printed is the port.
import http from 'node:http'; import fs from 'node:fs'; import zlib from 'node:zlib'; import crypto from 'node:crypto';
const [,, file, port = '0'] = process.argv, data = fs.readFileSync(file), n = data.length;
const etag = '"' + crypto.createHash('sha256').update(data).digest('hex').slice(0, 32) + '"';
let log = [], hits = {};
const bomb = zlib.gzipSync(Buffer.alloc(1 << 28), { level: 1 });
const range = q => { const m = /^bytes=(\d*)-(\d*)$/.exec(q.headers.range || ''); if (!m || (!m[1] && !m[2])) return null;
  return m[1] ? [+m[1], m[2] ? Math.min(+m[2], n - 1) : n - 1] : [Math.max(0, n - m[2]), n - 1]; };
const part = (q, r, body, h = {}) => { const g = range(q) || [0, n - 1];                      // a correct 206 unless h / body say otherwise
  const a = { 'Content-Type': 'application/octet-stream', 'Accept-Ranges': 'bytes', ETag: etag, 'Content-Range': `bytes ${g[0]}-${g[1]}/${n}`, 'Content-Length': g[1] - g[0] + 1, ...h };
  for (const k in a) if (a[k] === undefined) delete a[k];                                     // h: {X: undefined} drops a header
  r.writeHead(206, a); if (q.method === 'HEAD') return r.end(); return body === undefined ? r.end(data.subarray(g[0], g[1] + 1)) : body(r, data.subarray(g[0], g[1] + 1)); };
const F = {
  good: (q, r) => range(q) ? (range(q)[0] >= n ? r.writeHead(416, { 'Content-Range': `bytes */${n}` }).end() : part(q, r)) : r.writeHead(200, { ETag: etag, 'Accept-Ranges': 'bytes', 'Content-Length': n }).end(q.method === 'HEAD' ? '' : data),
  short206: (q, r) => part(q, r, (r, b) => { r.write(b.subarray(0, b.length >> 1), () => r.destroy()); }),       // FIN/RST before Content-Length
  shorthonest: (q, r) => { const g = range(q) || [0, n - 1], e = g[0] + ((g[1] - g[0]) >> 1); part(q, r, (r) => r.end(data.subarray(g[0], e + 1)), { 'Content-Range': `bytes ${g[0]}-${e}/${n}`, 'Content-Length': e - g[0] + 1 }); }, // legal: fewer bytes than asked
  long206: (q, r) => { const g = range(q) || [0, n - 1], e = Math.min(n - 1, g[1] + 65536); part(q, r, (r) => r.end(data.subarray(g[0], e + 1)), { 'Content-Length': e - g[0] + 1 }); }, // more than asked
  wrongrange: (q, r) => { const g = range(q) || [0, n - 1]; part(q, r, undefined, { 'Content-Range': `bytes ${g[0] + 1}-${g[1] + 1}/${n}` }); },
  shifted: (q, r) => { const g = range(q) || [0, n - 1], l = g[1] - g[0] + 1; part(q, r, (r) => r.end(data.subarray(0, l)), { 'Content-Range': `bytes 0-${l - 1}/${n}` }); },     // answers another range
  norange: (q, r) => part(q, r, undefined, { 'Content-Range': undefined }),                                       // 206 without Content-Range
  total: (q, r) => { const g = range(q) || [0, n - 1]; part(q, r, undefined, { 'Content-Range': `bytes ${g[0]}-${g[1]}/*` }); },
  ok200: (q, r) => r.writeHead(200, { ETag: etag, 'Content-Length': n }).end(data),                               // ignores Range
  etag: (q, r) => part(q, r, undefined, { ETag: `"v${hits.etag}"` }),                                             // changes with every request
  etag200: (q, r) => q.headers['if-range'] && hits.etag200 > 1 ? r.writeHead(200, { ETag: '"new"', 'Content-Length': n }).end(Buffer.alloc(n, 0x5a)) : part(q, r),
  weak: (q, r) => part(q, r, undefined, { ETag: 'W/' + etag }),
  stall: (q, r) => part(q, r, (r, b) => { r.write(b.subarray(0, Math.min(16, b.length >> 1))); }),                // then silence
  stallhead: () => {},                                                                                            // never answers
  trickle: (q, r) => part(q, r, (r, b) => { let i = 0; const t = setInterval(() => i < b.length ? r.write(b.subarray(i, ++i)) : (clearInterval(t), r.end()), 100); r.on('close', () => clearInterval(t)); }),
  reset: (q, r) => part(q, r, (r, b) => { r.write(b.subarray(0, b.length >> 1), () => r.socket.resetAndDestroy()); }),  // TCP RST
  reset1: (q, r) => hits.reset1 === 1 ? F.reset(q, r) : part(q, r),                                               // first time only: a retry must win
  busy: (q, r) => hits.busy <= 2 ? r.writeHead(hits.busy === 1 ? 429 : 503, { 'Retry-After': '1' }).end('slow down') : part(q, r),
  busydate: (q, r) => hits.busydate === 1 ? r.writeHead(503, { 'Retry-After': new Date(Date.now() + 2000).toUTCString() }).end() : part(q, r),
  busyever: (q, r) => r.writeHead(503, { 'Retry-After': '3600' }).end(),
  gzip: (q, r) => { const z = zlib.gzipSync(data); r.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': z.length, ETag: etag }).end(z); },
  gzip206: (q, r) => part(q, r, (r, b) => r.end(zlib.gzipSync(b)), { 'Content-Encoding': 'gzip', 'Content-Length': undefined }),
  bomb: (q, r) => { const z = bomb; r.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': z.length }).end(z); }, // 256 MiB from 260 KB
  endless: (q, r) => { r.writeHead(206, { 'Content-Range': `bytes 0-9/${n}` }); const b = Buffer.alloc(65536), w = () => { while (!r.destroyed && r.write(b)); }; r.on('drain', w); w(); },
  hugeheader: (q, r) => { r.socket.write('HTTP/1.1 206 Partial Content\r\nX-Big: ' + 'a'.repeat(1 << 22) + '\r\nContent-Length: 0\r\n\r\n'); },
  manyheaders: (q, r) => { r.socket.write('HTTP/1.1 206 Partial Content\r\n' + 'X-A: b\r\n'.repeat(200000) + 'Content-Length: 0\r\n\r\n'); },
  badstatus: (q, r) => { r.socket.end('HTTP/9.9 abc\r\n\r\nhello'); }, empty: (q, r) => { r.socket.end(); },
  chunked: (q, r) => part(q, r, (r, b) => { for (let i = 0; i < b.length; i += 1000) r.write(b.subarray(i, i + 1000)); r.end(); }, { 'Content-Length': undefined }),
  badchunk: (q, r) => { r.socket.end('HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-9/' + n + '\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc'); },
  html: (q, r) => r.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>login please</html>'),             // a captive portal
  loop: (q, r) => r.writeHead(302, { Location: q.url }).end(), tofile: (q, r) => r.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
  multi: (q, r) => r.writeHead(206, { 'Content-Type': 'multipart/byteranges; boundary=B' }).end('--B\r\nContent-Range: bytes 0-3/9\r\n\r\nabcd\r\n--B--\r\n'),
};
const s = http.createServer({ keepAliveTimeout: 3000 }, (q, r) => {
  if (q.url === '/log') { if (q.method === 'DELETE') { log = []; hits = {}; } return r.end(JSON.stringify(log)); }
  if (q.url === '/') return r.end(Object.keys(F).join('\n') + '\n');
  const k = q.url.split('/')[1]; hits[k] = (hits[k] || 0) + 1; log.push({ method: q.method, url: q.url, headers: q.headers, at: Date.now() });
  F[k] ? F[k](q, r) : r.writeHead(404).end();
}).listen(+port, '127.0.0.1', () => console.log(s.address().port));
