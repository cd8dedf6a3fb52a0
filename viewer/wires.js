// wires.js - the way of a line between two boxes
//
// A line leaves a box below and enters the next one above.  It runs straight
// down as long as boxes may stand beside it, and bends only in the gaps between
// layers; a line that passes by boxes has a lane, a free vertical way of its own,
// which leaves its place only beside open blocks: its turns.

const GAP = 20; // half of the room between two layers
export const STUB = 20; // length of an end whose other end is elsewhere

export const LINE = 0;
export const STUBS = 1;
export const CONTROL = 2;

// What an edge connects: { from, to } are items, or -1 for outside the block.
export function edgeEnds(model, block, edge) {
  const first = model.firstItem[block] - 1;
  const from = model.column('edge_from')[edge];
  const to = model.column('edge_to')[edge];
  return { from: from ? first + from : -1, to: to ? first + to : -1 };
}

// Its shape in the world: { start, end } with x and y, and how it bends.
export function wireShape(frame, edge) {
  const { model } = frame;
  const { from, to } = edgeEnds(model, frame.block, edge);
  const kind = model.column('edge_kind')[edge];
  const shape = { edge, from, to, kind, start: null, end: null };
  if (from >= 0) {
    const box = frame.box(from);
    shape.start = { x: portX(model, box, from, model.column('edge_port_from')[edge]), y: box.y + box.h };
    shape.leave = frame.top + frame.warpY.at(model.y[from] + model.h[from] + GAP) - GAP;
  }
  if (to >= 0) {
    const box = frame.box(to);
    shape.end = { x: portX(model, box, to, model.column('edge_port_to')[edge]), y: box.y };
  }
  const lane = model.column('edge_lane')[edge];
  shape.lane = lane ? frame.left + frame.rows.at(lane - 1, null) : null;
  shape.turns = lane && from >= 0 && to >= 0 ? turnsOf(frame, lane - 1, from, to) : [];
  return shape;
}

// A line upwards passes by the rows of both ends, too.
function turnsOf(frame, lane, from, to) {
  const { model } = frame;
  return model.y[from] < model.y[to] ? frame.turnsOf(lane, model.y[from] + model.h[from], model.y[to]) :
    frame.turnsOf(lane, model.y[to], model.y[from] + model.h[from]);
}

// The straight parts of a line in a lane, from above: { x, top, bottom }.
function pieces({ lane, turns = [] }, top, bottom) {
  const out = [];
  let y = top;
  for (const turn of turns) {
    if (turn.top - 2 * GAP >= y)
      out.push({ x: lane, top: y, bottom: turn.top - 2 * GAP });
    out.push({ x: turn.x, top: Math.max(y, turn.top), bottom: Math.max(y, turn.bottom) });
    y = turn.bottom + 2 * GAP;
  }
  if (bottom >= y || !out.length)
    out.push({ x: lane, top: y, bottom: Math.max(y, bottom) });
  return out;
}

// Ports keep their distance from the centre line of the box.
function portX(model, box, item, port) {
  return box.x + box.w / 2 + port - model.w[item] / 2;
}

// Draws it into the current path.  dx and dy are what the world is moved by.
export function traceWire(ctx, shape, dx, dy) {
  const { start, end } = shape;
  if (!start || !end || shape.kind === STUBS) {
    if (start) {
      ctx.moveTo(start.x + dx, start.y + dy);
      ctx.lineTo(start.x + dx, start.y + STUB - 4 + dy);
    }
    if (end) {
      ctx.moveTo(end.x + dx, end.y - STUB + 4 + dy);
      ctx.lineTo(end.x + dx, end.y - 3 + dy);
    }
    return;
  }
  const sx = start.x + dx;
  const ex = end.x + dx;
  const leave = Math.max(shape.leave, start.y) + dy;
  ctx.moveTo(sx, start.y + dy);
  if (leave > start.y + dy + 1)
    ctx.lineTo(sx, leave);
  if (shape.lane === null || (Math.abs(shape.lane - start.x) < 1 && Math.abs(shape.lane - end.x) < 1)) {
    curve(ctx, sx, leave, ex, end.y - 3 + dy);
    return;
  }
  if (end.y < start.y) { // upwards: around both boxes
    const parts = pieces(shape, end.y, leave - dy).reverse();
    const last = parts[parts.length - 1].x + dx;
    const first = parts[0].x + dx;
    ctx.bezierCurveTo(sx, leave + 1.3 * GAP, first, leave + 1.3 * GAP, first, leave);
    parts.forEach(({ x, top, bottom }, k) => {
      if (k)
        curveUp(ctx, parts[k - 1].x + dx, parts[k - 1].top + dy, x + dx, bottom + dy);
      ctx.lineTo(x + dx, top + dy);
    });
    ctx.lineTo(last, end.y + dy);
    ctx.bezierCurveTo(last, end.y - 1.3 * GAP + dy, ex, end.y - 1.3 * GAP + dy, ex, end.y - 3 + dy);
    return;
  }
  let x0 = sx;
  let y0 = leave;
  for (const { x, top, bottom } of pieces(shape, leave - dy + 2 * GAP, end.y - 2 * GAP)) {
    curve(ctx, x0, y0, x + dx, top + dy);
    ctx.lineTo(x + dx, bottom + dy);
    x0 = x + dx;
    y0 = bottom + dy;
  }
  curve(ctx, x0, y0, ex, end.y - 3 + dy);
}

function curveUp(ctx, x0, y0, x1, y1) {
  const bend = Math.max(12, (y0 - y1) / 2);
  ctx.bezierCurveTo(x0, y0 - bend, x1, y1 + bend, x1, y1);
}

function curve(ctx, x0, y0, x1, y1) {
  if (Math.abs(x0 - x1) < 0.5) {
    ctx.lineTo(x1, y1);
    return;
  }
  const bend = Math.max(12, (y1 - y0) / 2);
  ctx.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
}

// Where the line is at a height, or null: above it, or below.
export function wireX(shape, y) {
  const { start, end, lane } = shape;
  if (!start || !end || shape.kind === STUBS) {
    if (start && y >= start.y && y <= start.y + STUB)
      return start.x;
    return end && y >= end.y - STUB && y <= end.y ? end.x : null;
  }
  const leave = Math.max(shape.leave, start.y);
  if (end.y < start.y)
    return y >= end.y - GAP && y <= leave + GAP ? (shape.turns || []).find((t) => y >= t.top && y <= t.bottom)?.x ?? lane ?? start.x : null;
  if (y < start.y || y > end.y)
    return null;
  if (y <= leave)
    return start.x;
  if (lane === null)
    return curveX(start.x, leave, end.x, end.y - 3, y);
  let x0 = start.x;
  let y0 = leave;
  for (const { x, top, bottom } of pieces(shape, leave + 2 * GAP, end.y - 2 * GAP)) {
    if (y < top)
      return curveX(x0, y0, x, top, y);
    if (y <= bottom)
      return x;
    x0 = x;
    y0 = bottom;
  }
  return curveX(x0, y0, end.x, end.y - 3, y);
}

// The x of curve() at a height: y only grows along it.
function curveX(x0, y0, x1, y1, y) {
  const bend = Math.max(12, (y1 - y0) / 2);
  const at = (t, a, b, c, d) => (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t * t * c + t ** 3 * d;
  let low = 0;
  let high = 1;
  for (let i = 0; i < 10; i++) {
    const middle = (low + high) / 2;
    if (at(middle, y0, y0 + bend, y1 - bend, y1) < y)
      low = middle;
    else
      high = middle;
  }
  return at(high, x0, x0, x1, x1);
}

// Whether the line goes through a rectangle that is lower than a gap.
export function crosses(shape, rect) {
  const xs = [0, 0.5, 1].map((part) => wireX(shape, rect.y + part * rect.h)).filter((x) => x !== null);
  return xs.length > 0 && Math.min(...xs) < rect.x + rect.w && Math.max(...xs) > rect.x;
}

export function traceArrow(ctx, shape, dx, dy) {
  if (!shape.end)
    return;
  const x = shape.end.x + dx;
  const y = shape.end.y + dy;
  ctx.moveTo(x, y);
  ctx.lineTo(x - 3.5, y - 7);
  ctx.lineTo(x + 3.5, y - 7);
  ctx.closePath();
}

// Whether any of it can be on the screen.
export function touches(shape, view) {
  const points = [shape.start, shape.end].filter(Boolean);
  const xs = points.map((p) => p.x);
  if (shape.lane !== null && shape.start && shape.end)
    xs.push(shape.lane, ...(shape.turns || []).map((turn) => turn.x));
  const ys = points.map((p) => p.y);
  return Math.min(...xs) - 180 < view.x + view.w && Math.max(...xs) + 180 > view.x &&
    Math.min(...ys) - 60 < view.y + view.h && Math.max(...ys) + 60 > view.y;
}
