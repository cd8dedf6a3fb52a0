// warp.js - where things go when some items of a block are open
//
// A block is laid out once, with its items closed.  Opening an item needs room:
// what lies below moves down, what lies beside moves aside, nothing changes its
// order, and boxes that were centred on one line stay centred on one line.

// Across: a function of x that is never flatter than 1, and steep enough over
// every open item.  Boxes that did not overlap do not overlap afterwards.
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
