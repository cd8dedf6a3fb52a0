// textfit.js - text that fits into a box

export const SANS = 'system-ui, "DejaVu Sans", sans-serif';
export const FONT_LABEL = `600 13px ${SANS}`;
export const FONT_NARROW = [`600 12px ${SANS}`, `600 11px ${SANS}`]; // before text is cut
export const FONT_DETAIL = `11px ${SANS}`;

const fitted = new Map(); // font, width and text -> text

// The text, or its beginning and an ellipsis.  Control characters are shown as
// their pictures, so that a name cannot break a line or turn it around.
export function fitText(ctx, font, text, width) {
  const key = `${font}|${Math.round(width)}|${text}`;
  let out = fitted.get(key);
  if (out === undefined) {
    if (fitted.size > 8000)
      fitted.clear();
    ctx.font = font;
    out = shorten(ctx, visible(text), width);
    fitted.set(key, out);
  }
  return out;
}

// The first font in which a text is not cut.
export function fontFor(ctx, text, width) {
  return [FONT_LABEL, ...FONT_NARROW].find((font) => textWidth(ctx, font, text) <= width) || FONT_LABEL;
}

function shorten(ctx, text, width) {
  if (ctx.measureText(text).width <= width)
    return text;
  const letters = [...text.slice(0, 400)];
  let low = 0;
  let high = letters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(beginning(letters, middle)).width <= width)
      low = middle;
    else
      high = middle - 1;
  }
  return low ? beginning(letters, low) : '';
}

// A dot before the ellipsis would look like a part of it.
function beginning(letters, count) {
  return letters.slice(0, count).join('').replace(/[\s.]+$/, '') + '\u2026';
}

export function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f]/g, (c) => String.fromCharCode(c === '\u007f' ? 0x2421 : 0x2400 + c.charCodeAt(0)))
    .replace(/[\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '\ufffd');
}

const widths = new Map();

export function textWidth(ctx, font, text) {
  const key = font + '|' + text;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 8000)
      widths.clear();
    ctx.font = font;
    width = ctx.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

export function countText(n) {
  return n.toLocaleString('en');
}

export function bytesText(size) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let k = 0;
  while (size >= 1024 && k < units.length - 1) {
    size /= 1024;
    k++;
  }
  return `${k && size < 100 ? size.toFixed(1) : Math.round(size)} ${units[k]}`;
}
