// A dashboard on a wall: scaled so that all of it fills the screen.

const row = 56, gap = 12, padding = 12;
/** How far it shrinks before it scrolls, and how narrow (px) it may become when it grows. */
const least = 0.6, narrowest = 960;

/** How much larger, and how high its rows are, for a board of `rows` rows on a screen. Pure. */
export function scaleOf(rows, width, height) {
  const own = rows * row + Math.max(0, rows - 1) * gap + 2 * padding;
  const scale = Math.max(least, Math.min(height / own, width / narrowest));
  const room = height / scale - 2 * padding - Math.max(0, rows - 1) * gap;
  return { scale, rowHeight: Math.max(row, Math.floor(room / Math.max(1, rows))) };
}

/** Fits the board `element` to the screen; or as it is, where it is not on a wall. */
export function fit(element, isKiosk, places) {
  const rows = Math.max(1, ...places.map(({ y, h }) => y + h));
  const { scale, rowHeight } = isKiosk ? scaleOf(rows, innerWidth, innerHeight) : { scale: "", rowHeight: row };
  element.style.zoom = scale;
  element.style.gridAutoRows = isKiosk ? `${rowHeight}px` : "";
}
