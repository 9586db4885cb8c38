// Later pictures: known items stay in place, and new ones find gaps. Pure.
import { apart, spread } from "./layout.js";

/** Gives known items their places; the rest keeps none. */
function recall(items, memory) {
  const known = [];
  items.key.forEach((key, item) => {
    const at = memory.places.get(key);
    if (at === undefined || at.layer !== items.layer[item]) return;
    items.at[item] = at.at;
    known.push(item);
  });
  return known;
}

/** Finds a place for everything new, and leaves the rest where `memory` has it. */
export function settle(items, columns, memory, nodeCount, o) {
  const known = recall(items, memory);
  const standing = new Map();
  for (const at of columns.keys()) standing.set(at, []);
  for (const item of known) standing.get(items.layer[item]).push(item);
  for (const [at, column] of standing) {
    column.sort((p, q) => items.at[p] - items.at[q] || p - q);
    // Sizes may have changed: what overlaps now moves apart, the rest stands still.
    const overlaps = column.some((item, k) => k
      && items.at[item] - items.at[column[k - 1]] < collide(items, column[k - 1], item));
    if (overlaps) spread(items, column, column.map((item) => items.at[item]), column.map(() => 1), o);
    standing.set(at, column);
  }
  const place = (item) => {
    const column = standing.get(items.layer[item]);
    insert(items, column, item, wishOf(items, item, column, o), nodeCount, o);
  };
  for (const column of columns.values()) {
    for (const item of column) if (item < items.count && Number.isNaN(items.at[item])) place(item);
  }
  for (const column of columns.values()) {
    for (const item of column) if (item >= items.count && Number.isNaN(items.at[item])) place(item);
  }
}

function collide(items, p, q) {
  return p < items.count && q < items.count ? (items.size[p] + items.size[q]) / 2 : 0;
}

/** The preferred position of a new item: level with its placed neighbours. */
function wishOf(items, item, column, o) {
  const owner = items.beside.get(item);
  if (owner !== undefined) return items.at[owner] + items.size[owner] / 2 + o.bendGap + 4;
  const placed = (list) => list.filter((other) => !Number.isNaN(items.at[other]));
  let near = placed(items.up[item]);
  if (!near.length) near = placed(items.down[item]);
  if (near.length) return near.reduce((sum, other) => sum + items.at[other], 0) / near.length;
  const last = column[column.length - 1];
  return last === undefined ? 0 : items.at[last] + apart(items, last, item, o);
}

/**
 * Puts `item` into a column: into the nearest free gap, unless a node is far better off when the
 * others move hardly at all.
 */
function insert(items, column, item, wish, nodeCount, o) {
  let best = Infinity, slot = 0, at = wish;
  let preferred = 0;
  for (let k = 0; k <= column.length; k++) {
    const low = k ? items.at[column[k - 1]] + apart(items, column[k - 1], item, o) : -Infinity;
    const high = k < column.length ? items.at[column[k]] - apart(items, item, column[k], o) : Infinity;
    if (k && items.at[column[k - 1]] <= wish) preferred = k;
    if (low > high) continue;
    const free = Math.min(Math.max(wish, low), high);
    if (Math.abs(free - wish) < best) { best = Math.abs(free - wish); slot = k; at = free; }
  }
  if (item < items.count && best > 2 * apart(items, item, item, o)) {
    const pushed = [...column];
    pushed.splice(preferred, 0, item);
    const before = pushed.map((other) => items.at[other]);
    const wishes = pushed.map((other) => (other === item ? wish : items.at[other]));
    spread(items, pushed, wishes, pushed.map(() => 1), o);
    let moved = 0;
    pushed.forEach((other, k) => { if (other !== item
      && other < items.count) moved += Math.abs(items.at[other] - before[k]); });
    if (moved <= o.maxMeanMove * nodeCount) {
      column.splice(preferred, 0, item);
      return;
    }
    pushed.forEach((other, k) => { items.at[other] = before[k]; });
  }
  items.at[item] = at;
  column.splice(slot, 0, item);
}
