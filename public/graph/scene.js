// Chooses what of a graph is drawn, and how: single nodes, folded chains, clusters. Pure.
import { words } from "./families.js";
import { reach } from "./model.js";

export const sizes = {
  node: [172, 50], listener: [172, 34], fold: [172, 50], cluster: [172, 58], family: [208, 54],
};
/** The number of nodes above which chains are folded, and clusters made. */
const crowd = { fold: 60, cluster: 300 };

const needsGroups = ({ nodes, listeners }, { steps }) => steps === "fold" || nodes.size + listeners.size > crowd.fold;

/**
 * Chooses what to draw; `dying` has just gone and stays in place, `of` maps an id to its drawn
 * item.
 */
export function sceneOf(model, view, dying = []) {
  const isLarge = needsGroups(model, view);
  const entries = new Map();
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
  const links = edges.filter((edge) => entries.has(edge.from) && entries.has(edge.to));
  const of = new Map();
  const groups = new Map();
  const folds = isLarge && (view.steps === "fold" || (view.steps !== "show" && entries.size > crowd.fold));
  if (folds) fold(entries, links, view, of, groups);
  const many = isLarge && entries.size - of.size + groups.size > crowd.cluster;
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
    const type = /listener|family/.test(entry.kind) ? entry.kind : "node", [w, h] = sizes[type];
    nodes.push({ id, type, w, h, entry });
    of.set(id, id);
    shown++;
  }
  for (const [id, group] of groups) {
    const [w, h] = sizes[group.type];
    nodes.push({ id, w, h, ...group });
    if (group.type === "fold") shown += group.members.length;
  }
  return { nodes, edges: join(links, of), of, shown, folds, clusters: many };
}

/** "2,300 named nodes, 12 asleep, 7 steps, 40 clients, showing 180 of 2,347". */
export function countsOf(model, scene, isFocused) {
  const nodes = [...model.nodes.values()].filter(({ kind }) => !/family|upstream/.test(kind)),
    named = nodes.filter(({ name }) => name !== undefined);
  const number = (count) => count.toLocaleString("en"),
    counted = (count, what) => `${number(count)} ${what}${count === 1 ? "" : "s"}`;
  const asleep = named.filter(({ exists }) => !exists).length, steps = nodes.length - named.length,
    clients = model.listenerCount ?? model.listeners.size;
  const upstreams = model.upstreams.length;
  const parts = [counted(named.length, "named node"), words(model.families),
    upstreams && counted(upstreams, "upstream"), asleep && `${number(asleep)} asleep`,
    steps && counted(steps, "step"), counted(clients, "client")];
  const groups = scene?.nodes.filter(({ type }) => type === "cluster").length;
  if (groups
    || (scene
      && isFocused)) parts.push(`showing ${number(scene.shown)} of ${number(nodes.length + model.listeners.size)}${groups ? ` and ${counted(groups, "group")}` : ""}`);
  return parts.filter(Boolean).join(", ");
}

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
      joined.set(id, { id, from, to, kind: edge.kind, inner: edge.inner, feedback: Boolean(edge.feedback),
        owners: edge.owners, span: plain ? edge.span : 1, members: [edge] });
    }
  }
  return [...joined.values()];
}

// Chains folded into one box, and clusters by the beginning of the name, for graphs that are too
// large to be drawn whole.

/**
 * How much is shown around the selection, how many clusters there are, and how much of opened ones
 * is drawn.
 */
const limits = { near: 150, clusters: 100, open: 400 };

/** The group of a name: everything before its first mark or digit. */
export function prefixOf(name) {
  return /^[^._\-/:\d]+/u.exec(name)?.[0] ?? name.slice(0, 1);
}

function groupOf(entry) {
  if (entry.kind === "listener") return `listeners: ${entry.client ?? entry.transport}`;
  if (entry.kind === "upstream") return "upstreams";
  const name = entry.name ?? entry.of;
  return name === undefined ? "pipelines of clients" : prefixOf(name);
}

/**
 * Above the limit: one box for each prefix, except for opened groups and the surroundings of the
 * selected node.
 */
function cluster(model, entries, view, of, groups) {
  // The selection is always drawn, because the user may be waiting for it.
  const near = new Set([view.selected, view.focus?.id].filter((id) => entries.has(id)));
  const { into, out } = model.neighbours();
  let ring = near;
  for (let hops = 0; hops < 3; hops++) {
    const next = new Set();
    for (const id of ring) {
      for (const { from, to } of [...(into.get(id) ?? []), ...(out.get(id) ?? [])]) {
        const end = from === id ? to : from;
        if (near.size + next.size < limits.near && entries.has(end) && !near.has(end)) next.add(end);
      }
    }
    for (const id of next) near.add(id);
    ring = next;
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
  // The group opened last stays open; only a part of a very large group is drawn.
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

/**
 * Chains of transforms with one way in and one way out become one box; a name ends a chain and
 * gives it its label.
 */
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
