// A first dashboard for a graph that has none, places for new widgets, and the text of an empty
// board.
import { h } from "../lib/dom.js";
import { plural } from "../lib/format.js";
import { globOf } from "../graph/glob.js";
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

const isNumber = ({ type, unit, v }) =>
  typeof v === "number" || type === "number" || type === "integer" || (!!unit && v === undefined);
const isBoolean = ({ type, v }) => type === "boolean" || typeof v === "boolean";
const isSetting = ({ kind, role }) => kind === "mutable" && role !== "sensor";
/** Of computed nodes the server may work out what they were. */
const hasPast = (each) => isNumber(each) && (each.history || each.steps || (each.unit && each.kind === "derived"));
const severities = ["alarm", "warning", "info"];

/** The nodes that have words for people, a title or a severity; all where no node has a title. */
export function titled(nodes) {
  const named = nodes.filter(({ name }) => name);
  return named.some(({ title }) => title) ? named.filter(({ title, severity }) => title || severity) : named;
}

/** What there is room for, by section. */
const room = { alarms: 12, settings: 12, others: 24, charts: 6, series: 6, tables: 4 };

/**
 * A first dashboard for a graph that has none, in sections: what may call for attention, what
 * people set, the other nodes, charts with the nodes of one unit in each, and a table for each kind
 * of member. `isAll`: with the nodes that have no title.
 */
export function compose(nodes, families = [], isAll = false) {
  const widgets = [], shown = isAll ? [...new Set([...titled(nodes), ...nodes.filter(({ name }) => name)])]
    : titled(nodes);
  let top = 0, alone = [];
  /**
   * Rows of about the same number of widgets, which fill the columns: nothing can float up. One
   * small widget alone stands in the next section.
   */
  const section = (more, across, h, isLast = true) => {
    const all = [...alone, ...more];
    alone = all.length === 1 && !isLast ? all : [];
    if (alone.length) return;
    for (let rows = Math.ceil(all.length / across), at = 0; rows > 0; rows--, top += h) {
      const count = Math.ceil((all.length - at) / rows), w = columns / count;
      for (let i = 0; i < count; i++) widgets.push({ ...all[at++], x: i * w, y: top, w, h });
    }
  };
  const rank = ({ severity }) => severities.indexOf(severity);
  const alarms = shown.filter(({ severity }) => severity).sort((a, b) => rank(a) - rank(b));
  const settings = shown.filter((each) => !each.severity && isSetting(each));
  const others = shown.filter((each) => !each.severity && !isSetting(each));
  // Numbers of one unit are read beside each other.
  const ordered = [...Map.groupBy(others.filter(isNumber), ({ unit }) => unit).values(),
    others.filter((each) => !isNumber(each))].flat();
  section(alarms.slice(0, room.alarms).map(({ name }) => ({ kind: "lamp", node: name })), 4, 2, false);
  section(settings.slice(0, room.settings).map(({ name, min, max }) =>
    ({ kind: "editor", node: name, ...(min !== undefined && max !== undefined && { slider: true }) })), 3, 2, !ordered.length);
  section(ordered.slice(0, room.others).map((each) =>
    ({ kind: isNumber(each) ? "number" : isBoolean(each) ? "lamp" : "text", node: each.name })), 4, 2);
  const charted = Map.groupBy(shown.filter(hasPast), ({ unit, name }) => unit ?? name);
  const charts = [...charted.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / room.series) }, (_, i) => all.slice(i * room.series, (i + 1) * room.series)));
  section(charts.slice(0, room.charts).map((all) => ({ kind: "series", nodes: all.map(({ name }) => name) })), 2, 4);
  const kin = Map.groupBy(families.filter(({ kind }) => kind === "mutable"), ({ name }) => name.split(/\.?\{/)[0]);
  section([...kin].slice(0, room.tables).map(([prefix, all]) => ({
    kind: "table", nodes: all.map(({ name }) => globOf(name)),
    title: (all.length === 1 && all[0].title?.replace(/\s*\{\w+\}/g, "").trim()) || prefix || all[0].name,
  })), 2, 5);
  return { v: version, widgets };
}

/** What no widget shows: "7 helpers without a title, 3 nodes for which there is no room". */
export function leftOut(nodes, { widgets }) {
  const shown = new Set(widgets.flatMap(({ node, nodes: several = [] }) => [node, ...several]));
  const left = nodes.filter(({ name, family }) => name && !family && !shown.has(name)), readable = new Set(titled(nodes));
  const untitled = left.filter((each) => !readable.has(each)), more = left.length - untitled.length;
  const what = untitled.every(({ kind }) => kind === "derived") ? "helper" : "node";
  return { untitled: untitled.length, words: [untitled.length && `${plural(untitled.length, what)} without a title`,
    more && `${plural(more, "node")} for which there is no room`].filter(Boolean).join(", ") };
}

/** The line below a board made from the graph: what is left out, and a button to show it. */
function foot(board, { untitled, words }) {
  const show = () => made(board, true).then((next) => board.edit((editing) => editing.take(next)));
  return h("p", { class: "dash-foot small dim" }, "Made from the nodes of this graph. ", words && `Left out: ${words}`,
    untitled > 0 && [" · ", h("button", { type: "button", class: "link", onclick: show }, "Show")]);
}

/** Of the graph of a board; what sleeps is asked for once. */
export async function made(board, isAll = false) {
  const { graph, observed, page: { client } } = board, nodes = [...observed.nodes.values()];
  const asleep = nodes.filter((each) => each.kind !== "mutable" && !("v" in each)).map(({ name }) => name);
  const { m } = await client.get(graph, asleep).catch(() => ({ m: {} }));
  const layout = compose(nodes.map((each) => ({ ...each, ...m[each.name] })), observed.families, isAll);
  return { layout, problems: [], foot: layout.widgets.length ? foot(board, leftOut(nodes, layout)) : null };
}

/** What stands in place of widgets; `board` may be on a wall, or in the past. */
export function emptyBoard({ observed: { nodes, families }, canEdit, addButton }) {
  const isBare = nodes?.size === 0 && !families.length;
  return h("div", { class: "notice" }, h("h1", {}, isBare ? "No values yet" : "An empty dashboard"),
    h("p", {}, isBare ? "The definition of this graph has no nodes. They come here as soon as its file has some."
      : "Nothing stands on it yet. Widgets show values of this graph, and let people set them."),
    canEdit && !isBare && h("button", { type: "button", class: "primary", onclick: () => addButton.click() }, "Add a widget"));
}
