// camera.js - which part of the world is on the screen

export const ZOOM_MOST = 4;

export class Camera {
  constructor() {
    this.x = 0; // of the upper left corner, in the world
    this.y = 0;
    this.zoom = 1;
    this.width = 1; // of the screen
    this.height = 1;
  }

  toWorld(sx, sy) {
    return { x: this.x + sx / this.zoom, y: this.y + sy / this.zoom };
  }

  toScreen(x, y) {
    return { x: (x - this.x) * this.zoom, y: (y - this.y) * this.zoom };
  }

  get view() {
    return { x: this.x, y: this.y, w: this.width / this.zoom, h: this.height / this.zoom };
  }

  panBy(dx, dy) {
    this.x += dx / this.zoom;
    this.y += dy / this.zoom;
  }

  zoomAt(factor, sx, sy, least) {
    const point = this.toWorld(sx, sy);
    this.zoom = Math.min(ZOOM_MOST, Math.max(least, this.zoom * factor));
    this.x = point.x - sx / this.zoom;
    this.y = point.y - sy / this.zoom;
  }

  // Shows a rectangle whole, but no larger than `most`.
  fit(rect, margin, most) {
    this.zoom = Math.min(most, (this.width - 2 * margin) / rect.w, (this.height - 2 * margin) / rect.h);
    this.centre(rect.x + rect.w / 2, rect.y + rect.h / 2);
  }

  centre(x, y) {
    this.x = x - this.width / this.zoom / 2;
    this.y = y - this.height / this.zoom / 2;
  }

  // Moves as little as needed to show a rectangle; a large one by its top.
  reveal(rect, margin) {
    const edge = margin / this.zoom;
    const view = this.view;
    this.x += nudge(rect.x - edge, rect.x + rect.w + edge, view.x, view.x + view.w);
    this.y += nudge(rect.y - edge, rect.y + rect.h + edge, view.y, view.y + view.h);
  }
}

function nudge(low, high, from, to) {
  if (high - low > to - from)
    return low - from;
  return low < from ? low - from : high > to ? high - to : 0;
}
