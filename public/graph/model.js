// A graph as `topo` and `topod` tell it, and what of it is drawn, and as what. Pure.

/** Milliseconds that rates are averaged over. */
const window_ = 2000;

/** Named nodes have the id `n:name`, while they come and go, others `#number`, listeners `c:number`. Those asleep have `exists: false`. */
export class GraphModel {
  nodes = new Map();
  edges = new Map();
  listeners = new Map();
  rev = 0;
  epoch = null;
  /** Where not all are listed. */
  listenerCount = null;
  /** By the server's numbers. */
  ids = new Map();
  /** `families.js`, where there are families, and their nodes. */
  kin = null;
  families = [];
  #neighbours = null;

  /** Whether it takes `births.js` to take a message over. */
  static needsBirths = ({ add, del }) => [add, del].some((lists) => lists && Object.values(lists).some(({ length }) => length));

  /** Takes a message over and returns what is different: ids, but what `died` or `left` with its last state and `edges`. */
  apply(message, now = 0, births = null) {
    const news = {
      fresh: message.op === "topo", structure: false, born: [], died: [], joined: [], left: [],
      values: new Set(), owners: new Set(), queues: new Set(),
    };
    this.rev = message.rev ?? this.rev;
    this.time = message.t ?? this.time;
    if (message.op === "topo") this.#start(message, now, news);
    else {
      births?.change(this, message, now, news);
      this.#follow(message, now, news);
    }
    this.listenerCount = message.listenerCount ?? null;
    if (message.families || news.fresh) this.kin?.gather(this, message.families ?? [], news);
    if (news.structure) this.#declare();
    return news;
  }

  /** See `families.js`. */
  familyOf(name) { return this.kin?.familyOf(this.families, name); }

  #start(message, now, news) {
    this.epoch = message.epoch;
    for (const map of ["nodes", "edges", "listeners"]) this[map] = new Map();
    this.ids.clear();
    for (const node of message.nodes) this.addNode(node, now);
    for (const edge of message.edges) this.addEdge(edge);
    for (const listener of message.listeners) this.addListener(listener);
    news.values = new Set(this.nodes.keys());
    news.structure = true;
  }

  #follow({ val, own }, now, news) {
    for (const [n, held, count, change] of val) {
      const node = this.numbered(n);
      if (!node) continue;
      hold(node, held);
      node.c = change;
      node.t = this.time;
      tick(node, count - node.count, now);
      node.count = count;
      news.values.add(node.id);
    }
    for (const [n, owners, count] of own) {
      const node = this.numbered(n);
      if (!node) continue;
      node.owners = owners;
      node.ownerCount = count ?? owners.length;
      news.owners.add(node.id);
    }
  }

  addNode(told, now) {
    const id = idOf(told), before = this.nodes.get(id);
    const node = { exists: true, ...told, id, ownerCount: told.ownerCount ?? told.owners?.length ?? 0, rate: before?.rate ?? 0, rateAt: before?.rateAt ?? now };
    node.owners ??= [];
    node.count ??= 0;
    if (told.n !== undefined) this.ids.set(told.n, id);
    this.nodes.set(id, node);
  }

  /** True where it is new. */
  addEdge({ e, from, to, ...rest }) {
    const id = `e${e}`;
    const isNew = !this.edges.has(id);
    const ends = { from: this.ids.get(from), to: this.ids.get(to) };
    if (!ends.from || !ends.to) return false;
    this.edges.set(id, { id, ...ends, kind: "flow", ...rest });
    return isNew;
  }

  addListener(told) {
    this.listeners.set(told.l, { ...told, id: told.l, kind: "listener" });
  }

  #declare() {
    for (const [id, edge] of this.edges) if (edge.kind !== "flow") this.edges.delete(id);
    for (const node of this.nodes.values()) {
      if (node.exists) continue;
      for (const input of new Set(node.inputs ?? [])) {
        if (!this.nodes.has(`n:${input}`)) continue;
        const id = `d ${node.name} ${input}`;
        this.edges.set(id, { id, from: `n:${input}`, to: node.id, kind: "declared", span: stepsOf(node) + 1 });
      }
    }
    for (const listener of this.listeners.values()) {
      for (const n of new Set(listener.on)) {
        const from = this.ids.get(n);
        if (!from) continue;
        const id = `on ${listener.l} ${from}`;
        this.edges.set(id, { id, from, to: listener.l, kind: "listen" });
      }
    }
    this.kin?.link(this);
    this.#neighbours = null;
  }

  numbered(n) { return this.nodes.get(this.ids.get(n)); }

  neighbours() {
    const by = (end) => Map.groupBy(this.edges.values(), (edge) => edge[end]);
    return this.#neighbours ??= { into: by("to"), out: by("from") };
  }

  queued({ id, kind, to, queued }) { return (kind === "listen" ? this.listeners.get(to)?.queued : this.edges.get(id)?.queued ?? queued) ?? 0; }

  rate(id, now) {
    const node = this.nodes.get(id);
    if (!node?.rate) return 0;
    const rate = node.rate * Math.exp(-(now - node.rateAt) / window_);
    return rate < 0.05 ? 0 : rate;
  }
}

/** How many unnamed nodes will stand before it: a guess that spares a move later. */
function stepsOf({ op, label }) {
  const stages = label ? label.split(" | ").length : 0;
  return op === "from" || op === "combine" ? stages : stages + 1;
}

export const idOf = ({ name, n }) => (name !== undefined ? `n:${name}` : `#${n}`);

function hold(node, held) {
  delete node.v;
  delete node.empty;
  delete node.fail;
  Object.assign(node, held);
}

function tick(node, count, now) {
  if (!(count > 0)) return;
  const passed = Math.max(now - node.rateAt, 20);
  const fade = Math.exp(-passed / window_);
  node.rate = node.rate * fade + (count * 1000 / passed) * (1 - fade);
  node.rateAt = now;
}

export function reach(model, id, direction) {
  const { into, out } = model.neighbours();
  const along = (map, end) => {
    const seen = new Set([id]);
    for (const at of seen) for (const edge of map.get(at) ?? []) seen.add(edge[end]); // also of those that it adds
    return seen;
  };
  return new Set([...(direction === "down" ? [] : along(into, "from")), ...(direction === "up" ? [] : along(out, "to"))]);
}

export const sizes = {
  node: [172, 50], listener: [172, 34], fold: [172, 50], cluster: [172, 58], family: [208, 54],
};
/** So many nodes are drawn before chains are folded, and clusters made. */
const crowd = { fold: 60, cluster: 300 };

export const needsGroups = ({ nodes, listeners }, { steps }) => steps === "fold" || nodes.size + listeners.size > crowd.fold;

/** Chooses what to draw; `dying` has just gone and still stands where it was, `grouping` is `groups.js`, `of` tells what an id is drawn as. */
export function sceneOf(model, view, dying = [], grouping = null) {
  const entries = new Map();
  for (const node of model.nodes.values()) if (node.exists || view.asleep || node.id === view.focus?.id) entries.set(node.id, node);
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
  const folds = Boolean(grouping) && (view.steps === "fold" || (view.steps !== "show" && entries.size > crowd.fold));
  if (folds) grouping.fold(entries, links, view, of, groups);
  const many = grouping && entries.size - of.size + groups.size > crowd.cluster;
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
  return { nodes, edges: join(links, of), of, shown, folds, clusters: Boolean(many) };
}

/** "2,300 named nodes, 12 asleep, 7 steps, 40 clients, showing 180 of 2,347". */
export function countsOf(model, scene, isFocused) {
  const nodes = [...model.nodes.values()].filter(({ kind }) => kind !== "family"), named = nodes.filter(({ name }) => name !== undefined);
  const number = (count) => count.toLocaleString("en"), counted = (count, what) => `${number(count)} ${what}${count === 1 ? "" : "s"}`;
  const asleep = named.filter(({ exists }) => !exists).length, steps = nodes.length - named.length, clients = model.listenerCount ?? model.listeners.size;
  const words = [counted(named.length, "named node"), model.kin?.words(model.families), asleep && `${number(asleep)} asleep`, steps && counted(steps, "step"), counted(clients, "client")];
  const groups = scene?.nodes.filter(({ type }) => type === "cluster").length;
  if (groups || (scene && isFocused)) words.push(`showing ${number(scene.shown)} of ${number(nodes.length + model.listeners.size)}${groups ? ` and ${counted(groups, "group")}` : ""}`);
  return words.filter(Boolean).join(", ");
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
      joined.set(id, { id, from, to, kind: edge.kind, inner: edge.inner, feedback: Boolean(edge.feedback), span: plain ? edge.span : 1, members: [edge] });
    }
  }
  return [...joined.values()];
}
