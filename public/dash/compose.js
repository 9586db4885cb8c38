// A first dashboard for a graph that nobody made one for, and places for new widgets. Pure.
import { columns, meet, version } from "./layout.js";

/** The first place where `w` × `h` fits, from the top. */
export function place(widgets, w, h) {
  for (let y = 0; y < 2000; y++) {
    for (let x = 0; x + w <= columns; x++) {
      if (!widgets.some((other) => meet({ x, y, w, h }, other))) return { x, y };
    }
  }
  return { x: 0, y: 0 };
}

/** A first dashboard for a graph nobody made one for: its nodes as the kinds that suit them, at most twelve. */
export function compose(nodes, title) {
  const widgets = [];
  const add = (widget, w, h) => widgets.length < 12 && widgets.push({ ...widget, w, h, ...place(widgets, w, h) });
  // What somebody gave a title is meant to be seen.
  const named = nodes.filter((each) => each.name).sort((a, b) => !!b.title - !!a.title);
  const isNumber = (each) => typeof each.v === "number" || each.type === "number" || each.type === "integer" || (!!each.unit && !("v" in each));
  const set = named.filter((each) => each.kind === "mutable"), derived = named.filter((each) => each.kind !== "mutable");
  const charted = named.filter((each) => isNumber(each) && (each.history || each.kind !== "mutable")).slice(0, 3);
  for (const { name } of charted.slice(0, 1)) add({ kind: "series", nodes: [name] }, 6, 4);
  for (const each of derived.filter((each) => !charted.includes(each)).slice(0, 6)) {
    if (each.v === true || each.v === false) add({ kind: "lamp", node: each.name }, 3, 2);
    else if (isNumber(each)) add({ kind: "number", node: each.name }, 3, 2);
    else add({ kind: "text", node: each.name }, 3, 2);
  }
  for (const { name } of set.slice(0, 6)) add({ kind: "editor", node: name }, 3, 2);
  for (const { name } of charted.slice(1)) add({ kind: "series", nodes: [name] }, 6, 4);
  return { v: version, title, widgets };
}
