// The icons that a definition can give a node (`icon: door`): strokes on a square of 16.
import { icon } from "./dom.js";

const circle = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

export const icons = {
  alarm: "M3.5 12.5h9M4.5 12.5V9a3.5 3.5 0 0 1 7 0v3.5M8 2v1.5M2.5 4.5l1 1M13.5 4.5l-1 1M8 8v2",
  battery: "M2 5h10.5v6H2zM12.5 7H14v2h-1.5M4.2 7v2M6.4 7v2M8.6 7v2",
  bell: "M3.5 11.5h9l-1.2-1.8V7a3.3 3.3 0 0 0-6.6 0v2.7zM6.8 13.5h2.4",
  blinds: "M2.5 3h11M3.5 3v7.5h9V3M3.5 5.5h9M3.5 8h9M11 10.5v3",
  bulb: "M6 11.5a4.2 4.2 0 1 1 4 0V13H6zM6.8 14.8h2.4",
  clock: `${circle(8, 8, 5.5)}M8 5v3l2 1.5`,
  cloud: "M4.5 12.5a2.8 2.8 0 0 1-.2-5.6 3.8 3.8 0 0 1 7.3-.6 3.1 3.1 0 0 1 .2 6.2z",
  door: "M4 14V2.5h8V14M2.5 14h11M9.8 8.3v.2",
  drop: "M8 2.2c2.6 3.2 4 5.3 4 7.3a4 4 0 0 1-8 0c0-2 1.4-4.1 4-7.3z",
  fan: `${circle(8, 8, 1.3)}M8 6.7C6 5 6.3 2.3 8.5 2.2s2.6 2.5 1 4.6`
    + `M9.1 8.7c2.5-.8 4.7.8 3.7 2.7s-3.4 1-4.5-1.2M6.9 8.7c-.5 2.6-3 3.7-4.2 1.9s.6-3.5 3-3.6`,
  flame: "M8 14a4.3 4.3 0 0 1-4.3-4.3C3.7 6.5 7.5 5.5 7 2c2.8 1.2 5.3 4.3 5.3 7.7A4.3 4.3 0 0 1 8 14z"
    + "M8 14c-1.2-.9-1.6-2.6 0-4.2 1.6 1.6 1.2 3.3 0 4.2z",
  gauge: "M3.7 12.5a5.7 5.7 0 1 1 8.6 0M8 9.5l2.5-3.5M8 9.5v.1",
  key: `${circle(5, 8, 2.5)}M7.5 8h6v2.5M11 8v2`,
  leaf: "M3 13c0-6 3-9.5 10-10-.3 7-3.5 10-8.5 9M3 13c1.5-3 3.5-5 6-6.5",
  lock: "M3.5 7.5h9v6h-9zM5.2 7.5V5.3a2.8 2.8 0 0 1 5.6 0v2.2M8 10v1.5",
  motion: `${circle(9, 3, 1.2)}M4 7l3-1.5 2.5 1L11 9h2M8.5 6.5L7.5 10l2 1.5.5 3M7.5 10L4 13.5`,
  person: `${circle(8, 5, 2.5)}M3 14c.3-3 2.2-4.5 5-4.5s4.7 1.5 5 4.5`,
  plug: "M5.5 2v3M10.5 2v3M4 5h8v2.5a4 4 0 0 1-8 0zM8 11.5V14",
  pump: `${circle(7, 9, 4)}M7 5h6.5v3H10.8M5.5 10.5L7 7.5l1.5 3zM3 14h8`,
  snow: "M8 2v12M2.8 5l10.4 6M13.2 5L2.8 11M6.5 3l1.5 1.5L9.5 3M6.5 13L8 11.5 9.5 13",
  sun: `${circle(8, 8, 2.8)}M8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1`
    + `M12.4 3.6l-1 1M4.6 11.4l-1 1`,
  thermometer: "M6.3 9V3.5a1.7 1.7 0 0 1 3.4 0V9a3 3 0 1 1-3.4 0zM8 6.5v4.7",
  valve: "M2.5 7.5L8 10.5l-5.5 3zM13.5 7.5L8 10.5l5.5 3zM8 10.5V5.5M5.5 5.5h5",
  wifi: "M2 6.5a8.5 8.5 0 0 1 12 0M4.2 8.9a5.4 5.4 0 0 1 7.6 0M6.3 11.2a2.5 2.5 0 0 1 3.4 0M8 13.2v.1",
  window: "M3 2.5h10v11H3zM8 2.5v11M3 8h10",
  wrench: "M13.3 4.3L11 6.5 9.5 5l2.2-2.3a3.6 3.6 0 0 0-4.5 4.7L2.8 11.8a1.2 1.2 0 0 0 1.6 1.6l4.4-4.4a3.6 3.6 0 0 0 4.5-4.7z",
};

/** The icon of a node, or nothing. */
export function nodeIcon(node) {
  if (!node?.icon || !Object.hasOwn(icons, node.icon)) return null;
  const made = icon(icons[node.icon]);
  made.classList.add("node-icon");
  return made;
}
