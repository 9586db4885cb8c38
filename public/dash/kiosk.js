// A dashboard on a wall: scaled so that all of it fills the screen.

const row = 56, gap = 12, padding = 12;
/** How far it shrinks before it scrolls, and how narrow (px) it may become when it grows. */
const least = 0.6, narrowest = 960;
/** How far what is operated by touch shrinks before it is divided into pages. */
const legible = 0.85;

/** How much larger, and how high its rows are, for a board of `rows` rows on a screen. Pure. */
export function scaleOf(rows, width, height) {
  const own = rows * row + Math.max(0, rows - 1) * gap + 2 * padding;
  const scale = Math.max(least, Math.min(height / own, width / narrowest));
  const room = height / scale - 2 * padding - Math.max(0, rows - 1) * gap;
  return { scale, rowHeight: Math.max(row, Math.floor(room / Math.max(1, rows))) };
}

/** How many rows fit on a page that is operated by touch. Pure. */
export const roomOf = (height) => Math.max(1, Math.floor((height / legible - 2 * padding + gap) / (row + gap)));

/**
 * The rows with which pages of about the same size begin, at most `most` rows in each unless a
 * widget has more. Pure.
 */
export function pagesOf(places, most) {
  const end = Math.max(1, ...places.map(({ y, h }) => y + h));
  const cuts = Array.from({ length: end - 1 }, (_, i) => i + 1)
    .filter((row) => !places.some(({ y, h }) => y < row && row < y + h));
  const split = (room) => {
    const starts = [0];
    while (end - starts.at(-1) > room) {
      const last = starts.at(-1), later = cuts.filter((row) => row > last);
      const next = later.findLast((row) => row <= last + room) ?? later[0];
      if (next === undefined) break;
      starts.push(next);
    }
    return starts;
  };
  const { length } = split(most);
  const tallest = (starts) => Math.max(...starts.map((row, i) => (starts[i + 1] ?? end) - row));
  return Array.from({ length: most }, (_, i) => split(i + 1)).filter((starts) => starts.length <= length)
    .reduce((best, starts) => (tallest(starts) < tallest(best) ? starts : best));
}

/**
 * Scales the board `element`, but its small text less: it has 14 px, from across a room, where that
 * leaves room for the values.
 */
export function zoomTo(element, scale) {
  element.style.zoom = scale;
  element.style.setProperty("--small", scale && `${Math.min(17, Math.max(12, 14 / scale))}px`);
}

/** Fits the board `element` to the screen; or as it is, where it is not on a wall. */
export function fit(element, isKiosk, places) {
  const rows = Math.max(1, ...places.map(({ y, h }) => y + h));
  const { scale, rowHeight } = isKiosk ? scaleOf(rows, innerWidth, innerHeight) : { scale: "", rowHeight: row };
  zoomTo(element, scale);
  element.style.gridAutoRows = isKiosk ? `${rowHeight}px` : "";
}
