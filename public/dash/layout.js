// A dashboard as data, validated strictly, because addresses may come from strangers. Pure.

export const version = 1;
export const columns = 12;
export const most = {
  widgets: 64, nodes: 6, tableNodes: 64, title: 120, text: 4000, pipe: 2000, url: 4096, file: 262_144,
};

const text = (length) => (thing) => typeof thing === "string" && thing.length <= length;
const whole = (low, high) => (thing) => Number.isInteger(thing) && thing >= low && thing <= high;
const list = (length, isRight) => (thing) => Array.isArray(thing) && thing.length <= length && thing.every(isRight);
// More stars would make matching slow.
const node = (thing) => typeof thing === "string" && /^(?!(.*\*){4})[A-Za-z0-9_*?][A-Za-z0-9_.*?-]{0,127}$/.test(thing);
const state = (thing) => thing === null || (/string|number|boolean/.test(typeof thing) && String(thing).length <= 200);

const isPipe = (thing) => list(16, () => true)(thing) && JSON.stringify(thing).length <= most.pipe;

/** What widgets may say besides their place, and how it is checked. */
const options = {
  title: text(most.title), graph: node, node, nodes: list(most.tableNodes, node), pipe: isPipe,
  unit: text(32), text: text(most.text), span: whole(10, 31_622_400),
  min: Number.isFinite, max: Number.isFinite, warn: Number.isFinite, bad: state, ok: state,
  slider: (thing) => typeof thing === "boolean",
};

const refused = (problem) => ({ layout: null, problems: [problem] });

/**
 * Parses a dashboard from anything: `problems` lists what is invalid; unknown kinds stay and are
 * shown as such.
 */
export function read(thing) {
  if (thing?.v > version) {
    return refused(`This dashboard was made by a newer version of this page (${thing.v}; this one knows ${version}).`);
  }
  if (thing?.v !== version || !Array.isArray(thing.widgets)) return refused("This is not a dashboard.");
  const problems = [], widgets = [];
  const count = thing.widgets.length;
  if (count > most.widgets) problems.push(`Only ${most.widgets} of ${count} widgets are shown.`);
  thing.widgets.slice(0, most.widgets).forEach((each, i) => {
    const widget = readWidget(each);
    if (typeof widget === "string") problems.push(`Widget ${i + 1} is left out: ${widget}.`);
    else widgets.push(widget);
  });
  const layout = { v: version, widgets: settle(widgets) };
  if (options.title(thing.title)) layout.title = thing.title;
  if (node(thing.graph)) layout.graph = thing.graph;
  return { layout, problems };
}

function readWidget(thing) {
  if (!thing || typeof thing !== "object") return "it is no object";
  if (typeof thing.kind !== "string" || !/^[a-z]{1,32}$/.test(thing.kind)) return "it has no kind";
  const { kind, x = 0, y = 0, w = 3, h = 2 } = thing;
  const isInside = whole(1, columns)(w) && whole(1, 24)(h) && whole(0, columns - 1)(x) && whole(0, 1000)(y);
  if (!isInside) return "its place is outside of the grid";
  const widget = { kind, x: Math.min(x, columns - w), y, w, h };
  for (const [name, isRight] of Object.entries(options)) {
    if (thing[name] === undefined) continue;
    if (!isRight(thing[name])) return `its ${name} cannot be right`;
    widget[name] = thing[name];
  }
  return widget;
}

export const meet = (a, b) => a !== b && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** Without overlaps or empty rows above; the others make room for `moved`. */
export function settle(widgets, moved = null) {
  const done = [], first = (a, b) => (a === moved ? -1 : b === moved ? 1 : 0);
  for (const widget of [...widgets].sort((a, b) => a.y - b.y || first(a, b) || a.x - b.x)) {
    const free = (y) => !done.some((other) => meet({ ...widget, y }, other));
    let y = widget.y;
    while (!free(y)) y++;
    while (y > 0 && free(y - 1)) y--;
    widget.y = y;
    done.push(widget);
  }
  return widgets;
}

/** Whether it takes both columns of a small screen. */
export const isWide = ({ kind, slider, text }) => /^(series|table|log|people|clients)$/.test(kind) || !!slider || !!text;
