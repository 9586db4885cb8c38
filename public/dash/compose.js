// A first dashboard for a graph that has none, places for new widgets, and the text of an empty
// board.
import { h } from "../lib/dom.js";
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

/**
 * A first dashboard for a graph that has none: fields for what people set, with sliders if there
 * are bounds, lamps for booleans and for nodes with a severity, charts for numbers with a history,
 * the others as numbers or text. Nodes with a title come first.
 */
export function compose(nodes, families = []) {
  const widgets = [], add = (kind, each, w, h) => {
    if (widgets.length < 24) widgets.push({ kind, ...each, w, h, ...place(widgets, w, h) });
  };
  const named = nodes.filter((each) => each.name).sort((a, b) => !!b.title - !!a.title);
  const isNumber = ({ type, unit, v }) =>
    typeof v === "number" || type === "number" || type === "integer" || (!!unit && v === undefined);
  const hasPast = (each) => isNumber(each) && (each.history || each.steps || each.kind !== "mutable");
  const isBoolean = ({ type, v }) => type === "boolean" || typeof v === "boolean";
  const isSetting = ({ kind, role }) => kind === "mutable" && role !== "sensor";
  const settings = named.filter(isSetting), derived = named.filter((each) => !isSetting(each));
  for (const { name, min, max } of settings.slice(0, 9)) {
    const hasBounds = min !== undefined && max !== undefined;
    add("editor", hasBounds ? { node: name, slider: true } : { node: name }, 4, 2);
  }
  // What may call for attention is seen from across the room.
  const isLamp = (each) => isBoolean(each) || !!each.severity;
  const lamps = derived.filter(isLamp).sort((a, b) => !!b.severity - !!a.severity);
  for (const each of lamps.slice(0, 6)) add("lamp", { node: each.name }, isBoolean(each) ? 2 : 4, 2);
  // Numbers of one unit are read beside each other.
  const charted = Map.groupBy(named.filter(hasPast), ({ unit, name }) => unit ?? name);
  const charts = [...charted.values()].slice(0, 4).map((all) => all.slice(0, 6)), shown = new Set(charts.flat());
  for (const all of charts) add("series", { nodes: all.map(({ name }) => name) }, 6, 4);
  for (const each of derived) {
    if (!isLamp(each) && !shown.has(each)) add(isNumber(each) ? "number" : "text", { node: each.name }, 3, 2);
  }
  for (const { name } of families.filter(({ kind }) => kind === "mutable").slice(0, 4)) {
    add("table", { nodes: [globOf(name)], title: name }, 6, 5);
  }
  return { v: version, widgets };
}

/** How many of these nodes no widget shows. */
export function leftOut(nodes, { widgets }) {
  const shown = new Set(widgets.flatMap(({ node, nodes: several = [] }) => [node, ...several]));
  return nodes.filter(({ name, family }) => name && !family && !shown.has(name)).length;
}

/** Of the graph of a board; what sleeps is asked for once. */
export async function made({ graph, observed, page: { client } }) {
  const nodes = [...observed.nodes.values()];
  const asleep = nodes.filter((each) => each.kind !== "mutable" && !("v" in each)).map(({ name }) => name);
  const { m } = await client.get(graph, asleep).catch(() => ({ m: {} }));
  const layout = compose(nodes.map((each) => ({ ...each, ...m[each.name] })), observed.families);
  const left = leftOut(nodes, layout), rest = left ? ` It leaves out ${left} of ${nodes.length} nodes.` : "";
  return { layout, problems: [`Made from the nodes of this graph. Edit it, and save it for everybody.${rest}`] };
}

export const emptyBoard = (add) => h("div", { class: "notice" }, h("h1", {}, "An empty dashboard"),
  h("p", {}, "Widgets show nodes of this graph and listen to them: what they show is kept alive by this page."),
  h("button", { type: "button", class: "primary", onclick: () => add.click() }, "Add a widget"));
