// What a dashboard is, as data: read with suspicion, because it comes from an address that anybody may have made. Pure.

export const version = 1;
export const columns = 12;
export const most = { widgets: 64, nodes: 6, tableNodes: 64, rows: 200, name: 128, title: 120, text: 4000, pipe: 2000, url: 4096, file: 262_144 };

const isText = (thing, length) => typeof thing === "string" && thing.length <= length;
const isWhole = (thing, low, high) => Number.isInteger(thing) && thing >= low && thing <= high;
const isScalar = (thing) => thing === null || ["string", "number", "boolean"].includes(typeof thing);
const nodeName = /^[A-Za-z0-9_*?][A-Za-z0-9_.*?-]{0,127}$/;

/** What every kind of widget may say besides its place, and how each is checked. */
const options = {
  title: (thing) => isText(thing, most.title),
  node: (thing) => isText(thing, most.name) && nodeName.test(thing),
  nodes: (thing) => Array.isArray(thing) && thing.length <= most.tableNodes && thing.every((each) => options.node(each)),
  pipe: (thing) => Array.isArray(thing) && thing.length <= 16 && JSON.stringify(thing).length <= most.pipe,
  unit: (thing) => isText(thing, 32),
  text: (thing) => isText(thing, most.text),
  span: (thing) => isWhole(thing, 10, 86_400),
  min: Number.isFinite,
  max: Number.isFinite,
  warn: Number.isFinite,
  bad: (thing) => isScalar(thing) && isText(String(thing), 200),
  ok: (thing) => isScalar(thing) && isText(String(thing), 200),
  slider: (thing) => typeof thing === "boolean",
};

/**
 * A dashboard out of anything: `{ layout, problems }`. What cannot be understood is left out and said in `problems`;
 * `layout` is null when nothing could be made of it. Kinds that are not known stay, to be shown as such.
 */
export function read(thing) {
  if (!thing || typeof thing !== "object" || Array.isArray(thing)) return { layout: null, problems: ["This is not a dashboard."] };
  if (Number.isInteger(thing.v) && thing.v > version) {
    return { layout: null, problems: [`This dashboard was made by a newer version of this page (${thing.v}; this one knows ${version}).`] };
  }
  if (thing.v !== version) return { layout: null, problems: ["This is not a dashboard, or one of a version that was never released."] };
  if (!Array.isArray(thing.widgets)) return { layout: null, problems: ["This dashboard has no list of widgets."] };
  const problems = [], widgets = [];
  if (thing.widgets.length > most.widgets) problems.push(`Only ${most.widgets} of ${thing.widgets.length} widgets are shown.`);
  thing.widgets.slice(0, most.widgets).forEach((each, i) => {
    const widget = readWidget(each);
    if (typeof widget === "string") problems.push(`Widget ${i + 1} is left out: ${widget}.`);
    else widgets.push(widget);
  });
  const layout = { v: version, widgets: settle(widgets) };
  if (isText(thing.title, most.title)) layout.title = thing.title;
  if (isText(thing.graph, most.name) && nodeName.test(thing.graph)) layout.graph = thing.graph;
  return { layout, problems };
}

function readWidget(thing) {
  if (!thing || typeof thing !== "object") return "it is no object";
  if (!isText(thing.kind, 32) || !/^[a-z]+$/.test(thing.kind)) return "it has no kind";
  const { kind, x = 0, y = 0, w = 3, h = 2 } = thing;
  if (!isWhole(w, 1, columns) || !isWhole(h, 1, 24) || !isWhole(x, 0, columns - 1) || !isWhole(y, 0, 1000)) return "its place is outside of the grid";
  const widget = { kind, x: Math.min(x, columns - w), y, w, h };
  for (const [name, isRight] of Object.entries(options)) {
    if (thing[name] === undefined) continue;
    if (!isRight(thing[name])) return `its ${name} cannot be right`;
    widget[name] = thing[name];
  }
  return widget;
}

// Addresses

/** A dashboard as text for an address: a version, and base64url of its JSON; null when it is too long for one. */
export function encode(layout) {
  const bytes = new TextEncoder().encode(JSON.stringify(layout));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const text = `${version}.${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
  return text.length <= most.url ? text : null;
}

/** The reverse, for any text. */
export function decode(text) {
  const found = /^(\d{1,9})\.([A-Za-z0-9_-]*)$/.exec(text);
  if (!found) return { layout: null, problems: ["The address holds no dashboard: it was cut off or changed."] };
  if (Number(found[1]) > version) return read({ v: Number(found[1]) });
  if (text.length > most.file) return { layout: null, problems: ["The dashboard in the address is too large."] };
  try {
    const binary = atob(found[2].replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (each) => each.charCodeAt(0));
    return read(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch {
    return { layout: null, problems: ["The address holds no dashboard: it was cut off or changed."] };
  }
}

// Places

const meet = (a, b) => a !== b && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** Widgets without overlaps or empty rows above them; `moved` keeps its place and the others make room. */
export function settle(widgets, moved = null) {
  const order = [...widgets].sort((a, b) => (a.y - b.y) || (a === moved ? -1 : b === moved ? 1 : 0) || a.x - b.x);
  const done = [];
  for (const each of order) {
    const widget = each;
    const free = (y) => !done.some((other) => meet({ ...widget, y }, other));
    let y = widget.y;
    while (!free(y)) y++;
    while (y > 0 && free(y - 1)) y--;
    widget.y = y;
    done.push(widget);
  }
  return widgets;
}

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
