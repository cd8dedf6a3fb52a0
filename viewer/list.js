// list.js - a long list of which only the rows in view are elements

const HIGHEST = 8e6; // browsers do not scroll further than some 17 million pixels

export class VirtualList {
  // rows: { count(), fill(index, element), role }
  constructor(container, rowHeight, rows) {
    this.container = container;
    this.rowHeight = rowHeight;
    this.rows = rows;
    this.active = -1;
    this.shown = new Map(); // index -> element
    this.spacer = document.createElement('div');
    this.spacer.setAttribute('role', 'none');
    this.spacer.className = 'spacer';
    container.append(this.spacer);
    container.addEventListener('scroll', () => this.update());
    new ResizeObserver(() => this.update()).observe(container);
  }

  get total() {
    return this.rows.count() * this.rowHeight;
  }

  get height() {
    return Math.min(HIGHEST, this.total);
  }

  // How many pixels of the list one pixel of scrolling is.
  get ratio() {
    const view = this.container.clientHeight;
    return this.total > HIGHEST ? (this.total - view) / (HIGHEST - view) : 1;
  }

  // All rows are made anew.
  refresh() {
    for (const element of this.shown.values())
      element.remove();
    this.shown.clear();
    this.spacer.style.height = this.height + 'px';
    this.active = Math.min(this.active, this.rows.count() - 1);
    this.update();
  }

  update() {
    const view = this.container.clientHeight;
    if (!view)
      return;
    const top = this.container.scrollTop * this.ratio;
    const first = Math.max(0, Math.floor(top / this.rowHeight) - 4);
    const last = Math.min(this.rows.count() - 1, Math.ceil((top + view) / this.rowHeight) + 4);
    for (const [index, element] of this.shown)
      if (index < first || index > last) {
        element.remove();
        this.shown.delete(index);
      }
    const shift = this.container.scrollTop - top;
    for (let index = first; index <= last; index++) {
      let element = this.shown.get(index);
      if (!element) {
        element = this.make(index);
        this.shown.set(index, element);
        this.insert(index, element);
      }
      element.style.top = index * this.rowHeight + shift + 'px';
    }
    this.markActive();
  }

  make(index) {
    const element = document.createElement('div');
    element.setAttribute('role', this.rows.role);
    element.className = 'row';
    element.id = `${this.container.id}-${index}`;
    element.dataset.index = index;
    element.style.height = this.rowHeight + 'px';
    this.rows.fill(index, element);
    return element;
  }

  // In the order of the list, which is the order a screen reader reads.
  insert(index, element) {
    const after = [...this.shown.keys()].filter((k) => k > index);
    this.spacer.insertBefore(element, after.length ? this.shown.get(Math.min(...after)) : null);
  }

  // The row that keys act on; it is scrolled into view.
  activate(index) {
    this.active = index;
    if (index >= 0) {
      const view = this.container.clientHeight;
      const top = this.container.scrollTop * this.ratio;
      const at = index * this.rowHeight;
      if (at < top)
        this.container.scrollTop = at / this.ratio;
      else if (at + this.rowHeight > top + view)
        this.container.scrollTop = (at + this.rowHeight - view) / this.ratio;
    }
    this.update();
  }

  markActive() {
    for (const [index, element] of this.shown) {
      element.classList.toggle('active', index === this.active);
      element.setAttribute('aria-selected', String(index === this.active));
    }
    this.onActive?.(this.active >= 0 && this.shown.has(this.active) ? this.shown.get(this.active).id : null);
  }

  indexOf(event) {
    const row = event.target.closest?.('.row');
    return row ? Number(row.dataset.index) : -1;
  }
}
