// Chooses what of a graph is drawn: single nodes, and groups where there are many. Pure.
import { reach } from "./model.js";

export const sizes = { node: [176, 50], listener: [176, 34], cluster: [176, 58], family: [216, 70] };
/** The numbers of nodes, and of clients, above which groups are made. */
const crowd = { nodes: 120, clients: 24 };

/** A step of a pipeline: it has no name, and is drawn by itself only where people want details. */
export const isStep = ({ kind, name, of }) => kind === "chain" || (name === undefined && of !== undefined);

/**
 * Chooses what to draw; `dying` has just gone and stays in place, `of` maps an id to its drawn
 * item. Nothing where it takes `groups`, the module of that name, and there is none.
 */
export function sceneOf(model, view, dying = [], groups = null) {
  const entries = new Map(), at = (id) => model.nodes.get(id) ?? model.listeners.get(id);
  const isDetailed = view.details || [view.selected, view.focus?.id].some((id) => id && at(id) && isStep(at(id)));
  for (const node of model.nodes.values()) if (node.exists || view.asleep
    || node.id === view.focus?.id) entries.set(node.id, node);
  for (const listener of model.listeners.values()) entries.set(listener.id, listener);
  const edges = [...model.edges.values()];
  for (const gone of dying) {
    if (!entries.has(gone.id)) entries.set(gone.id, gone);
    edges.push(...gone.edges);
  }
  if (view.focus && entries.has(view.focus.id)) {
    const near = reach(model, view.focus.id, view.focus.direction);
    for (const id of entries.keys()) if (!near.has(id)) entries.delete(id);
  }
  const of = new Map(), grouped = new Map();
  // Steps of a definition are drawn as the node that they compute; those of clients are not drawn.
  if (!isDetailed) for (const [id, entry] of entries) {
    if (!isStep(entry)) continue;
    entries.delete(id);
    if (entry.kind !== "chain" && entries.has(`n:${entry.of}`)) of.set(id, `n:${entry.of}`);
  }
  const has = (id) => entries.has(id) || of.has(id);
  const links = edges.filter(({ kind, from, to, owners }) => has(from) && has(to)
    && kind !== "listen" && (isDetailed || !owners));
  const isOf = (isClient) => [...entries.values()].filter(({ kind }) => (kind === "listener") === isClient);
  const nodes = isOf(false), clients = isOf(true);
  const many = nodes.length > crowd.nodes;
  if (!groups && (many || clients.length > crowd.clients)) return null;
  if (many) groups.cluster(nodes, groups.near(model, entries, view), view, of, grouped);
  if (clients.length > crowd.clients) {
    groups.cluster(clients, new Set([view.selected, view.focus?.id]), view, of, grouped);
  }

  const drawn = [];
  let shown = 0;
  for (const [id, entry] of entries) {
    if (of.has(id)) continue;
    const type = /listener|family/.test(entry.kind) ? entry.kind : "node", [w, h] = sizes[type];
    drawn.push({ id, type, w, h, entry, isClient: type === "listener" });
    of.set(id, id);
    shown++;
  }
  for (const [id, group] of grouped) {
    const [w, h] = sizes.cluster;
    drawn.push({ id, type: "cluster", w, h: group.isClient ? sizes.listener[1] : h, ...group });
  }
  // What was mapped to a node that is itself in a group.
  for (const [id, to] of of) if (of.get(to) !== to && of.has(to)) of.set(id, of.get(to));
  return { nodes: drawn, edges: join(links, of, isDetailed), of, shown, clusters: many, isDetailed };
}

/** "2,300 nodes, 12 not running, 7 steps, 40 clients, showing 180 of 2,347". */
export function countsOf(model, scene, isFocused) {
  const all = [...model.nodes.values()].filter(({ kind }) => !/family|upstream/.test(kind)),
    named = all.filter(({ name }) => name !== undefined), { families, upstreams } = model;
  const number = (count) => count.toLocaleString("en");
  const counted = (count, one, many = `${one}s`) => count > 0 && `${number(count)} ${count === 1 ? one : many}`;
  const asleep = named.filter(({ exists }) => !exists).length, clients = model.listenerCount ?? model.listeners.size;
  const members = families.reduce((sum, each) => sum + each.members, 0);
  const groups = scene?.nodes.filter(({ type, isClient }) => type === "cluster" && !isClient).length;
  return [counted(named.length, "node") || "no nodes",
    families.length && `${counted(families.length, "family", "families")} with ${counted(members, "member") || "no members"}`,
    counted(upstreams.length, "upstream"), asleep && `${number(asleep)} not running`,
    counted(all.length - named.length, "step"), counted(clients, "client") || "no clients",
    (groups || (scene && isFocused)) && `showing ${number(scene.shown)} of ${number(all.length + model.listeners.size)}`
      + (groups ? ` and ${counted(groups, "group")}` : "")].filter(Boolean).join(", ");
}

function join(links, of, isDetailed) {
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
      joined.set(id, { id, from, to, kind: edge.kind, inner: edge.inner, feedback: Boolean(edge.feedback),
        owners: edge.owners, span: plain && isDetailed ? edge.span : 1, members: [edge] });
    }
  }
  return [...joined.values()];
}
