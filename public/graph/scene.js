// What of the graph is drawn, and as what: everything, a neighbourhood, folded chains, clusters. Pure.
import { reach } from "./owners.js";

export const sizes = {
  node: [172, 50], listener: [172, 34], fold: [172, 50], cluster: [172, 58],
};
/** From how many nodes on chains are folded, and clusters made; how much stands around what is selected, and in opened clusters. */
export const limits = { fold: 60, cluster: 300, near: 150, clusters: 100, open: 400 };

/**
 * Chooses what to draw.
 *
 * @param dying entries of nodes and listeners that have just gone and still stand where they were
 * @param view `{asleep, steps, focus: {id, direction}?, selected?, open: Set of folds and clusters that were opened}`
 * @returns `{nodes: [{id, type, w, h, members?, node?}], edges: [{id, from, to, kind, feedback, span, members, queued}],
 *   of: Map(id → id drawn), shown, total, folds: bool, clusters: bool}`
 */
export function sceneOf(model, view, dying = []) {
  const entries = new Map();
  for (const node of model.nodes.values()) if (node.exists || view.asleep) entries.set(node.id, node);
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
  const folds = view.steps === "fold" || (view.steps !== "show" && entries.size > limits.fold);
  if (folds) fold(entries, links, view, of, groups);
  const many = entries.size - of.size + groups.size > limits.cluster;
  if (many) {
    of.clear();
    groups.clear();
    cluster(model, entries, view, of, groups);
    if (folds) fold(entries, links, view, of, groups);
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
  return { nodes, edges: join(links, of), of, shown, total, folds, clusters: many };
}

/** "2,300 nodes, 12 asleep, 40 listeners, showing 180 of 2,352 and 9 groups". */
export function countsOf(model, scene, isFocused) {
  const number = (count) => count.toLocaleString("en");
  const counted = (count, what) => `${number(count)} ${what}${count === 1 ? "" : "s"}`;
  const { living, asleep, listeners } = model.counts();
  const groups = scene?.nodes.filter((node) => node.type === "cluster").length ?? 0;
  const words = [counted(living, "node"), asleep && `${number(asleep)} asleep`, counted(listeners, "listener")];
  if (scene && (groups || isFocused)) {
    words.push(`showing ${number(scene.shown)} of ${number(model.nodes.size + model.listeners.size)}${groups ? ` and ${counted(groups, "group")}` : ""}`);
  }
  return words.filter(Boolean).join(", ");
}

/** Edges between what is drawn; several between the same two become one. */
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

/** The group a name belongs to: what stands before its first mark or digit. */
export function prefixOf(name) {
  return /^[^._\-/:\d]+/u.exec(name)?.[0] ?? name.slice(0, 1);
}

function groupOf(entry) {
  if (entry.kind === "listener") return `listeners: ${entry.client ?? entry.transport}`;
  const name = entry.name ?? entry.of;
  return name === undefined ? "pipelines of clients" : prefixOf(name);
}

/** Above the limit: one box for each prefix, but for what was opened and what stands near the selected node. */
function cluster(model, entries, view, of, groups) {
  const near = new Set();
  const start = view.focus?.id ?? view.selected;
  if (start && entries.has(start)) {
    const { into, out } = model.neighbours();
    let ring = [start];
    near.add(start);
    for (let hops = 0; hops < 3 && near.size < limits.near; hops++) {
      const next = [];
      for (const id of ring) {
        for (const edge of [...(into.get(id) ?? []), ...(out.get(id) ?? [])]) {
          for (const end of [edge.from, edge.to]) {
            if (near.has(end) || !entries.has(end) || near.size >= limits.near) continue;
            near.add(end);
            next.push(end);
          }
        }
      }
      ring = next;
    }
  }
  const byPrefix = new Map();
  for (const [id, entry] of entries) {
    if (near.has(id)) continue;
    const key = groupOf(entry);
    const list = byPrefix.get(key);
    list ? list.push(id) : byPrefix.set(key, [id]);
  }
  const largest = [...byPrefix].sort((a, b) => b[1].length - a[1].length);
  const rest = [];
  // What was opened last stays open; of a very large group only a part is drawn.
  const opened = new Map();
  let room = limits.open;
  for (const key of [...view.open].reverse()) {
    const ids = byPrefix.get(key.slice(2));
    if (!key.startsWith("g ") || !ids || (ids.length > room && opened.size)) continue;
    opened.set(key, Math.min(ids.length, room));
    room -= opened.get(key);
  }
  largest.forEach(([key, ids], i) => {
    const drawn = opened.get(`g ${key}`) ?? 0;
    if (drawn === ids.length) return;
    if (drawn) ids = ids.slice(drawn);
    if (ids.length === 1 && largest.length <= limits.clusters) return;
    if (i >= limits.clusters) return void rest.push(...ids);
    add(`g ${key}`, key, ids);
  });
  if (rest.length) add("g …", "others", rest);
  function add(id, label, members) {
    groups.set(id, { type: "cluster", label, members });
    for (const member of members) of.set(member, id);
  }
}

/** Chains of transforms with one way in and one way out become one box; a name ends a chain and gives it its label. */
function fold(entries, links, view, of, groups) {
  const into = new Map(), out = new Map();
  for (const edge of links) {
    into.set(edge.to, into.has(edge.to) ? null : edge);
    out.set(edge.from, out.has(edge.from) ? null : edge);
  }
  const isStep = (id) => {
    const entry = entries.get(id);
    return !of.has(id) && (entry.kind === "chain" || (entry.kind === "derived" && entry.exists !== false));
  };
  const isUnnamed = (id) => entries.get(id).name === undefined;
  for (const id of entries.keys()) {
    if (!isStep(id) || !isUnnamed(id) || into.get(id) === undefined) continue;
    const before = into.get(id)?.from;
    const isInside = before && isStep(before) && isUnnamed(before) && out.get(before);
    if (isInside) continue; // not the first of its chain
    const members = [id];
    for (let edge = out.get(id); edge && isStep(edge.to) && into.get(edge.to); edge = out.get(edge.to)) {
      if (edge.feedback || members.includes(edge.to)) break;
      members.push(edge.to);
      if (!isUnnamed(edge.to)) break;
    }
    if (members.length < 2) continue;
    const last = entries.get(members[members.length - 1]);
    const key = `f ${last.name !== undefined ? last.id : members[0]}`;
    if (view.open.has(key)) continue;
    groups.set(key, { type: "fold", members, entry: last, label: last.name, steps: members.length });
    for (const member of members) of.set(member, key);
  }
}
