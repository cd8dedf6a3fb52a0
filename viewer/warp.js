// warp.js - where things go when some items of a block are open
//
// A block is laid out once, with its items closed.  Opening an item needs room:
// what lies below moves down, what stands in its row moves aside, nothing changes
// its order, and the item that was opened stays centred on its column.

// Across one row: a function of x that is never flatter than 1, and steep enough
// over every open item.  Boxes that did not overlap do not overlap afterwards.
export class WarpX {
  // spans: [{ from, to, width }], the new width of what covers from..to
  constructor(spans) {
    const cuts = [...new Set(spans.flatMap((s) => [s.from, s.to]))].sort((a, b) => a - b);
    this.cuts = cuts;
    this.slopes = cuts.slice(1).map((_, k) => spans.reduce((steepest, s) =>
      (s.from <= cuts[k] && s.to >= cuts[k + 1] ? Math.max(steepest, s.width / (s.to - s.from)) : steepest), 1));
    this.values = [cuts[0] || 0];
    this.slopes.forEach((slope, k) => this.values.push(this.values[k] + slope * (cuts[k + 1] - cuts[k])));
  }

  at(x) {
    const { cuts, values, slopes } = this;
    if (!cuts.length || x <= cuts[0])
      return x;
    const k = lastAtMost(cuts, x);
    return values[k] + (x - cuts[k]) * (slopes[k] || 1);
  }

  back(x) {
    const { cuts, values, slopes } = this;
    if (!cuts.length || x <= values[0])
      return x;
    const k = lastAtMost(values, x);
    return cuts[k] + (x - values[k]) / (slopes[k] || 1);
  }
}

// Across, row by row: rows without an open item stay as they are, but for one
// shift that all of them share.
export class Rows {
  // spans: [{ from, to, width, top, bottom }]; width: of the block
  constructor(spans, width) {
    this.rows = []; // { top, bottom, warp, shift }, from above
    for (const span of [...spans].sort((a, b) => a.top - b.top)) {
      const last = this.rows[this.rows.length - 1];
      if (last && span.top < last.bottom) {
        last.spans.push(span);
        last.bottom = Math.max(last.bottom, span.bottom);
      } else {
        this.rows.push({ top: span.top, bottom: span.bottom, spans: [span] });
      }
    }
    this.shift = 0;
    for (const row of this.rows) {
      const widest = row.spans.reduce((a, b) => (b.width > a.width ? b : a));
      const centre = (widest.from + widest.to) / 2;
      row.warp = new WarpX(row.spans);
      row.shift = centre - row.warp.at(centre);
      this.shift = Math.max(this.shift, -row.shift);
    }
    this.width = width + this.shift;
    for (const row of this.rows) {
      row.shift += this.shift;
      this.width = Math.max(this.width, row.warp.at(width) + row.shift);
    }
  }

  // The row of open items that something from top to bottom is in, or null.
  rowOf(top, bottom) {
    const { rows } = this;
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].bottom <= top)
        low = middle + 1;
      else
        high = middle;
    }
    return low < rows.length && rows[low].top < bottom ? rows[low] : null;
  }

  at(x, row) {
    return row ? row.warp.at(x) + row.shift : x + this.shift;
  }

  back(x, row) {
    return row ? row.warp.back(x - row.shift) : x - this.shift;
  }

  // What may be between two places, whatever the row.
  span(left, right) {
    const all = [null, ...this.rows];
    return { left: Math.min(...all.map((row) => this.back(left, row))), right: Math.max(...all.map((row) => this.back(right, row))) };
  }

  // The rows between two heights: those that a line in a lane passes by.
  between(top, bottom) {
    return this.rows.filter((row) => row.top >= top && row.bottom <= bottom);
  }
}

// Down: everything that begins below an open item moves down by what the item
// grew; items beside each other grow together.
export class WarpY {
  // spans: [{ from, to, grow }], sorted here by where they begin
  constructor(spans) {
    this.cuts = [];
    this.shifts = [];
    let base = 0;
    let end = -Infinity;
    let most = 0;
    let open = [];
    const close = () => {
      for (const s of open.sort((a, b) => a.to - b.to)) {
        most = Math.max(most, s.grow);
        this.cuts.push(s.to);
        this.shifts.push(base + most);
      }
      base += most;
      most = 0;
      open = [];
    };
    for (const span of [...spans].sort((a, b) => a.from - b.from)) {
      if (span.from >= end)
        close();
      open.push(span);
      end = Math.max(end === -Infinity ? span.to : end, span.to);
    }
    close();
  }

  at(y) {
    const k = lastAtMost(this.cuts, y);
    return k < 0 ? y : y + this.shifts[k];
  }

  // The y that `at` moves to here or just above.
  back(y) {
    let low = 0;
    let high = this.cuts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.cuts[middle] + this.shifts[middle] <= y)
        low = middle + 1;
      else
        high = middle;
    }
    return low ? y - this.shifts[low - 1] : this.cuts.length ? Math.min(y, this.cuts[0]) : y;
  }
}

function lastAtMost(sorted, x) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= x)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}
