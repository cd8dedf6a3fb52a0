// grid.js - which items of a block are in a rectangle
//
// Built for a block when it is first drawn: cells of some eight items, items
// listed cell by cell.  Items are found in the block's own coordinates.

export class Grid {
  constructor(model, block) {
    const first = model.firstItem[block];
    const count = model.itemCount(block);
    const width = Math.max(1, model.blockWidth[block]);
    const height = Math.max(1, model.blockHeight[block]);
    const cells = Math.max(1, Math.ceil(count / 8));
    const side = Math.sqrt((width * height) / cells);
    this.columns = Math.max(1, Math.min(cells, Math.round(width / side)));
    this.rows = Math.max(1, Math.ceil(cells / this.columns));
    this.cellWidth = width / this.columns;
    this.cellHeight = height / this.rows;
    this.reachX = 0; // how far a box lies outside the cell of its corner
    this.reachY = 0;
    this.starts = new Uint32Array(this.columns * this.rows + 2);
    const cellOf = new Uint32Array(count);
    for (let k = 0; k < count; k++) {
      const item = first + k;
      cellOf[k] = this.row(model.y[item]) * this.columns + this.columnAt(model.x[item]);
      this.starts[cellOf[k] + 2]++;
      this.reachX = Math.max(this.reachX, model.w[item]);
      this.reachY = Math.max(this.reachY, model.h[item]);
    }
    for (let c = 2; c < this.starts.length; c++)
      this.starts[c] += this.starts[c - 1];
    this.items = new Uint32Array(count);
    for (let k = 0; k < count; k++)
      this.items[this.starts[cellOf[k] + 1]++] = first + k;
  }

  row(y) {
    return Math.max(0, Math.min(this.rows - 1, Math.floor(y / this.cellHeight)));
  }

  columnAt(x) {
    return Math.max(0, Math.min(this.columns - 1, Math.floor(x / this.cellWidth)));
  }

  // Items that may touch a rectangle.  Where there are more than `most`, every
  // n-th cell stands for its neighbours.
  find(left, top, right, bottom, most) {
    const low = this.row(top - this.reachY);
    const high = this.row(bottom);
    const from = this.columnAt(left - this.reachX);
    const to = this.columnAt(right);
    let total = 0;
    for (let r = low; r <= high; r++)
      total += this.starts[r * this.columns + to + 1] - this.starts[r * this.columns + from];
    const step = Math.max(1, Math.ceil(total / most));
    const out = [];
    let cell = 0;
    for (let r = low; r <= high; r++)
      for (let c = from; c <= to; c++)
        if (cell++ % step === 0)
          for (let k = this.starts[r * this.columns + c]; k < this.starts[r * this.columns + c + 1]; k++)
            out.push(this.items[k]);
    return { items: out, isSample: step > 1 };
  }
}

// Edges by the rows they cross.  Long lines are few: long edges are stubs.
export class EdgeRows {
  constructor(model, block) {
    const first = model.firstEdge[block];
    const count = model.edgeCount(block);
    const item = model.firstItem[block];
    const from = model.column('edge_from');
    const to = model.column('edge_to');
    const height = Math.max(1, model.blockHeight[block]);
    this.rows = Math.max(1, Math.min(1 << 18, Math.ceil(count / 8)));
    this.rowHeight = height / this.rows;
    this.everywhere = [];
    const lowest = new Uint32Array(count);
    const highest = new Uint32Array(count);
    const starts = new Uint32Array(this.rows + 2);
    for (let k = 0; k < count; k++) {
      const start = item + (from[first + k] || to[first + k]) - 1;
      const end = item + (to[first + k] || from[first + k]) - 1;
      lowest[k] = this.row(Math.min(model.y[start], model.y[end]) - 60);
      highest[k] = this.row(Math.max(model.y[start] + model.h[start], model.y[end] + model.h[end]) + 60);
      if (highest[k] - lowest[k] > 64)
        this.everywhere.push(first + k);
      else
        for (let r = lowest[k]; r <= highest[k]; r++)
          starts[r + 2]++;
    }
    for (let r = 2; r < starts.length; r++)
      starts[r] += starts[r - 1];
    this.edges = new Uint32Array(starts[starts.length - 1]);
    for (let k = 0; k < count; k++)
      if (highest[k] - lowest[k] <= 64)
        for (let r = lowest[k]; r <= highest[k]; r++)
          this.edges[starts[r + 1]++] = first + k;
    this.starts = starts;
    this.lowest = lowest;
    this.first = first;
  }

  row(y) {
    return Math.max(0, Math.min(this.rows - 1, Math.floor(y / this.rowHeight)));
  }

  find(top, bottom) {
    const out = [...this.everywhere];
    const low = this.row(top);
    const high = this.row(bottom);
    for (let r = low; r <= high; r++)
      for (let k = this.starts[r]; k < this.starts[r + 1]; k++)
        if (r === low || this.lowest[this.edges[k] - this.first] === r) // once each
          out.push(this.edges[k]);
    return out;
  }
}
