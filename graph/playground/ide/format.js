// Formats numbers and texts for the pictures.
export const milliseconds = (ms) => `${ms < 10 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : Math.round(ms)} ms`;

export const bytes = (n) => (n < 1000 ? `${n} B` : n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`);

// count shortens large numbers: 12,345 is 12k.
export const count = (n) => (n < 10_000 ? n.toLocaleString('en') : n < 1e6 ? `${Math.floor(n / 1e3)}k` : n < 1e12 ? `${Math.floor(n / 1e6)}M` : '∞');

// short returns at most four characters: 1,240 is 1.2k.
export const short = (n) => (n >= 1000 && n < 9950 ? `${(n / 1e3).toFixed(1)}k` : count(n));

export const plural = (n, noun) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

// glyph is the width of a character of the pictures' monospaced font, in pixels.
export const glyph = 6.6;

// fit truncates a text to a width in pixels.
export function fit(text, width) {
  const most = Math.max(Math.floor(width / glyph), 1);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
