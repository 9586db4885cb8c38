// What of the graph is drawn, and as what. Pure.
import { reach } from "./model.js";

export const sizes = {
  node: [172, 50], listener: [172, 34], fold: [172, 50], cluster: [172, 58],
};
/** So many nodes are drawn before chains are folded, and clusters made. */
const limits = { fold: 60, cluster: 300 };

/** Whether `groups.js` is needed. */
export const needsGroups = ({ nodes, listeners }, { steps }) => steps === "fold" || nodes.size + listeners.size > limits.fold;

/** Chooses what to draw; `dying` has just gone and still stands where it was, `grouping` is `groups.js`, `of` tells what an id is drawn as. */
export function sceneOf(model, view, dying = [], grouping = null) {
  const entries = new Map();
  for (const node of model.nodes.values()) if (node.exists || view.asleep || node.id === view.focus?.id) entries.set(node.id, node);
  for (const listener of model.listeners.values()) entries.set(listener.id, listener);
  const total = entries.size;
  const edges = [...model.edges.values()];
  for (const gone of dying) {
    if (!entries.has(gone.id)) entries.set(gone.id, gone);
    edges.push(...gone.edges);
  }
  if (view.focus && entries.has(view.focus.id)) {
    const { nodes } = reach(model, view.focus.id, view.focus.direction);
    for (const id of entries.keys()) if (!nodes.has(id)) entries.delete(id);
  }
  const links = edges.filter((edge) => entries.has(edge.from) && entries.has(edge.to));
  const of = new Map();
  const groups = new Map();
  const folds = Boolean(grouping) && (view.steps === "fold" || (view.steps !== "show" && entries.size > limits.fold));
  if (folds) grouping.fold(entries, links, view, of, groups);
  const many = grouping && entries.size - of.size + groups.size > limits.cluster;
  if (many) {
    of.clear();
    groups.clear();
    grouping.cluster(model, entries, view, of, groups);
    if (folds) grouping.fold(entries, links, view, of, groups);
  }

  const nodes = [];
  let shown = 0;
  for (const [id, entry] of entries) {
    if (of.has(id)) continue;
    const type = entry.kind === "listener" ? "listener" : "node";
    nodes.push({ id, type, w: sizes[type][0], h: sizes[type][1], entry });
    of.set(id, id);
    shown++;
  }
  for (const [id, group] of groups) {
    nodes.push({ id, w: sizes[group.type][0], h: sizes[group.type][1], ...group });
    if (group.type === "fold") shown += group.members.length;
  }
  return { nodes, edges: join(links, of), of, shown, total, folds, clusters: Boolean(many) };
}

/** "2,300 nodes, 12 asleep, 7 steps, 40 clients, showing 180 of 2,347". */
export function countsOf(model, scene, isFocused) {
  const number = (count) => count.toLocaleString("en");
  const counted = (count, what) => `${number(count)} ${what}${count === 1 ? "" : "s"}`;
  const { named, asleep, steps, clients } = model.counts();
  const groups = scene?.nodes.filter((node) => node.type === "cluster").length ?? 0;
  const words = [counted(named, "node"), asleep && `${number(asleep)} asleep`, steps && counted(steps, "step"), counted(clients, "client")];
  if (scene && (groups || isFocused)) {
    words.push(`showing ${number(scene.shown)} of ${number(model.nodes.size + model.listeners.size)}${groups ? ` and ${counted(groups, "group")}` : ""}`);
  }
  return words.filter(Boolean).join(", ");
}

/** Several edges between the same two become one. */
function join(links, of) {
  const joined = new Map();
  for (const edge of links) {
    const from = of.get(edge.from), to = of.get(edge.to);
    if (!from || !to) continue;
    const plain = from === edge.from && to === edge.to;
    if (!plain && from === to) continue;
    const id = plain ? edge.id : `${from} > ${to}`;
    const known = joined.get(id);
    if (known) {
      known.members.push(edge);
      known.feedback &&= Boolean(edge.feedback);
    } else {
      joined.set(id, { id, from, to, kind: edge.kind, inner: edge.inner, feedback: Boolean(edge.feedback), span: plain ? edge.span : 1, members: [edge] });
    }
  }
  return [...joined.values()];
}
