// link.js - an address of a node: page.html#node=NAME
//
// A node without a name of its own is #at=POSITION, a block #block=PATH: items of
// each block on the way, "@" before the copy of one that repeats.

export class Links {
  constructor(scene) {
    this.scene = scene;
    this.model = scene.model;
    scene.on('select', () => this.write());
    window.addEventListener('hashchange', () => location.hash !== this.written && this.follow());
  }

  async write() {
    const turn = (this.turn = (this.turn || 0) + 1);
    const { selected } = this.scene;
    let hash = '';
    if (selected) {
      const node = this.scene.nodeOf(selected);
      if (node >= 0) {
        await this.model.need('names');
        if (turn !== this.turn)
          return;
        const name = this.model.name(node);
        hash = name && this.findName(name) === node ? '#node=' + encodeURIComponent(name) : '#at=' + node;
      } else {
        hash = '#block=' + [...selected.frame.path, { item: selected.item, copy: selected.frame.copyOf(selected.item) }].map((p) => this.step(p)).join('.');
      }
    }
    this.written = hash;
    history.replaceState(null, '', hash || location.pathname + location.search);
  }

  step({ item, copy }) {
    return item + (copy ? '@' + copy : '');
  }

  findName(name) {
    const texts = this.model.column('node_name');
    const wanted = new TextEncoder().encode(name);
    const { bytes, ends, count } = texts;
    for (let i = 0; i < count; i++) {
      if (ends[i + 1] - ends[i] !== wanted.length)
        continue;
      let k = wanted.length - 1; // names differ at their ends
      while (k >= 0 && bytes[ends[i] + k] === wanted[k])
        k--;
      if (k < 0)
        return i;
    }
    return -1;
  }

  // Shows what the address names.  Addresses of another model are ignored.
  async follow() {
    const [key, value] = splitHash(location.hash);
    if (key === 'node') {
      await this.model.need('names');
      const node = this.findName(value);
      if (node >= 0)
        this.scene.goToNode(node);
    } else if (key === 'at' && Number(value) < this.model.nodeCount) {
      this.scene.goToNode(Math.floor(Number(value)));
    } else if (key === 'block') {
      this.goToBlock(value);
    }
  }

  goToBlock(text) {
    const path = text.split('.').map((step) => {
      const [item, copy] = step.split('@').map(Number);
      return { item, copy: copy || 0 };
    });
    let block = 0;
    for (const { item, copy } of path) {
      const { model } = this;
      if (!(block >= 0 && item >= model.firstItem[block] && item < model.firstItem[block + 1] && copy < model.repeat[item]))
        return;
      block = model.blockOf(item);
    }
    this.scene.goTo(path);
  }
}

function splitHash(hash) {
  const at = hash.indexOf('=');
  try {
    return at < 0 ? ['', ''] : [hash.slice(1, at), decodeURIComponent(hash.slice(at + 1))];
  } catch {
    return ['', '']; // a % that is not one
  }
}
