// palette.js - every colour of the picture
//
// A colour says what an operator does; the order is that of src/view/view_class.h,
// which SVG files are coloured by.  Text on a fill has a contrast of at least 7:1 in both themes, and
// every state of a diff has a sign beside its colour.

const LIGHT = {
  paper: '#f6f7f9', surface: '#ffffff', inside: ['#ffffff', '#f8f9fb'],
  text: '#1c2230', muted: '#566074', faint: '#c9cfda', frame: '#aab2c2',
  wire: '#8b95a8', strong: '#2456d6', accent: '#2456d6', halo: '#2456d633',
  dot: '#e3e6ec', shade: '#1c223014',
  classes: [
    ['#eef0f4', '#98a1b3'], // other
    ['#dcf5e7', '#2f9e67'], // data
    ['#f3eee5', '#a68f69'], // constant
    ['#dfe8fd', '#4f74d9'], // convolution and product
    ['#ebe4fb', '#8560d0'], // normalization
    ['#fde5e2', '#d1604f'], // activation
    ['#fdeed6', '#c98a1e'], // pooling and reduction
    ['#e6ebf0', '#7488a0'], // shape and order
    ['#e0f2fa', '#3f98c4'], // arithmetic
    ['#fbe3f1', '#c2529a'], // control flow
    ['#f0f3d2', '#8a9a1f'], // quantization
    ['#ffffff', '#8b95a8'], // block
  ],
  states: [null, ['#dff5e3', '#1d7f3c'], ['#fce3e3', '#b3261e'], ['#fff0cc', '#8a5a00'], [null, '#8a5a00']],
};

const DARK = {
  paper: '#12151b', surface: '#1b1f27', inside: ['#181c24', '#1e232c'],
  text: '#eceff6', muted: '#a5aec0', faint: '#3a4250', frame: '#566074',
  wire: '#737e93', strong: '#8fb0ff', accent: '#8fb0ff', halo: '#8fb0ff40',
  dot: '#222731', shade: '#00000055',
  classes: [
    ['#2a2f3a', '#6d778c'], // other
    ['#163528', '#46b582'], // data
    ['#352e20', '#b39b72'], // constant
    ['#1f2c52', '#6f92f0'], // convolution and product
    ['#2f2450', '#a584ea'], // normalization
    ['#47221d', '#e8806f'], // activation
    ['#41300f', '#dfa544'], // pooling and reduction
    ['#26313d', '#8aa0ba'], // shape and order
    ['#17384a', '#5fb4de'], // arithmetic
    ['#431b37', '#dc74b6'], // control flow
    ['#32380f', '#acbe3b'], // quantization
    ['#1f242e', '#737e93'], // block
  ],
  states: [null, ['#12361d', '#5fd07f'], ['#4a1a1a', '#ff9a92'], ['#3d2f08', '#f0c04a'], [null, '#f0c04a']],
};

export const STATE_SIGNS = ['', '+', '\u2212', '~', '\u2026'];
export const STATE_WORDS = ['same', 'added', 'removed', 'changed', 'contains changes'];

export function paletteOf(dark) {
  return dark ? DARK : LIGHT;
}

// Numbers of --data: from pale to deep, readable for the colour-blind because
// lightness alone orders them.
const RAMP = [[255, 247, 214], [253, 205, 120], [241, 132, 78], [200, 54, 92], [120, 20, 110], [48, 10, 74]];

export function rampColour(part) {
  const at = Math.min(1, Math.max(0, part)) * (RAMP.length - 1);
  const low = Math.min(RAMP.length - 2, Math.floor(at));
  const rest = at - low;
  const mix = RAMP[low].map((c, k) => Math.round(c + (RAMP[low + 1][k] - c) * rest));
  return { css: `rgb(${mix.join(',')})`, text: luminance(mix) > 0.179 ? '#000000' : '#ffffff' };
}

function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
