// A graph built from `topo` and `topod` messages. Pure.
import { raisedBy } from "../lib/words.js";

/** Milliseconds that rates are averaged over. */
const window_ = 2000;

/**
 * Named nodes have the id `n:name`, while they come and go, others `#number`, listeners `c:number`,
 * upstreams `u:number`.
 * Those asleep have `exists: false`.
 */
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
  families = [];
  upstreams = [];
  /** The module `kin.js`, which is needed for families and upstreams. */
  kin = null;
  /** The names of nodes whose values are out of date, as the server says. */
  stale = new Set();
  /** See `clients.js`, which is loaded with the first of them. */
  #linesOf = () => ({ lines: [], raw: [], counts: new Map() });
  #neighbours = null;
  #lines = null;

  set linesOf(linesOf) {
    this.#linesOf = linesOf;
    this.#lines = null;
  }

  /**
   * Takes a message over and returns what is different: ids, but what `died` or `left` with its
   * last state and `edges`.
   */
  apply(message, now = 0) {
    const news = {
      fresh: message.op === "topo", structure: false, born: [], died: [], joined: [], left: [],
      values: new Set(), turned: new Set(), owners: new Set(), queues: new Set(),
    };
    this.rev = message.rev ?? this.rev;
    this.time = message.t ?? this.time;
    if (message.op === "topo") this.#start(message, now, news);
    else {
      if (message.add) change(this, message, now, news);
      this.#follow(message, now, news);
    }
    this.listenerCount = message.listenerCount ?? null;
    this.kin?.replace(this, message, news);
    if (news.structure) this.#declare();
    return news;
  }

  /** The family of that member, or of that name with placeholders. */
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
      if (hold(node, held)) news.turned.add(node.id);
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
    const node = { exists: true, ...told, ...this.kin?.called(told), id,
      ownerCount: told.ownerCount ?? told.owners?.length ?? 0, rate: before?.rate ?? 0, rateAt: before?.rateAt ?? now };
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
    this.#neighbours = this.#lines = null;
  }

  numbered(n) { return this.nodes.get(this.ids.get(n)); }

  neighbours() {
    const by = (end) => Map.groupBy(this.edges.values(), (edge) => edge[end]);
    return this.#neighbours ??= { into: by("to"), out: by("from") };
  }

  /** What clients listen to and link, without the steps of their pipelines; see `clients.js`. */
  clientLines() { return this.#lines ??= this.#linesOf(this); }

  queued({ id, kind, to, queued }) { return (kind === "listen" ? this.listeners.get(to)?.queued
    : this.edges.get(id)?.queued ?? queued) ?? 0; }

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

/** Takes over a node's entry; true if its state has changed, not only the sample of a number. */
function hold(node, held) {
  const before = stateOf(node);
  delete node.v;
  delete node.empty;
  delete node.fail;
  Object.assign(node, held);
  return before !== stateOf(node);
}

function stateOf(node) {
  const { v, fail } = node, held = fail ? "failed" : typeof v === "string" || typeof v === "boolean" ? v : typeof v;
  return `${raisedBy(node)} ${held}`;
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
  return new Set([...(direction === "down" ? [] : along(into, "from")),
    ...(direction === "up" ? [] : along(out, "to"))]);
}

/** Applies `{add, del}` of a message, and records the differences in `news`. */
function change(model, { add, del }, now, news) {
  // Nodes whose name belongs to another node now, by number.
  const former = new Map();
  for (const told of add.nodes) {
    const id = idOf(told), before = model.nodes.get(id);
    // A redefined node is known by its number; a sleeping one has none.
    if (told.n !== undefined && !model.ids.has(told.n)) news.born.push(id);
    if (before?.exists && before.n !== told.n) former.set(before.n, before);
    model.addNode(told, now);
    news.structure = true;
  }
  for (const edge of add.edges) {
    if (model.addEdge(edge)) news.structure = true;
    else news.queues.add(model.ids.get(edge.from));
  }
  for (const listener of add.listeners) {
    const known = model.listeners.get(listener.l);
    if (!known) news.joined.push(listener.l);
    if (!known || String(known.on) !== String(listener.on)) news.structure = true;
    model.addListener(listener);
    news.values.add(listener.l);
  }
  if (del.listeners.length || del.nodes.length) end(model, del, news, former);
  for (const edge of del.edges) news.structure = model.edges.delete(`e${edge}`) || news.structure;
}

function end(model, del, news, former) {
  news.structure = true;
  // Edges of ended listeners, for drawing how they disappear.
  const cut = new Map([...del.listeners.map(({ l }) => [l, []]),
    ...del.nodes.map(({ n, name }) => [model.ids.get(n) ?? `n:${name}`, []])]);
  for (const { l, reason } of del.listeners) {
    const listener = model.listeners.get(l);
    if (model.listeners.delete(l)) news.left.push({ ...listener, reason, edges: cut.get(l) });
  }
  for (const death of del.nodes) release(model, death, news, cut, former);
  for (const [key, edge] of model.edges) {
    const end = [edge.from, edge.to].find((id) => cut.has(id) && !model.nodes.get(id)?.exists);
    if (end === undefined) continue;
    model.edges.delete(key);
    cut.get(end).push(edge);
  }
}

function release({ nodes, ids }, { n, name, reason, lived, last }, news, cut, former) {
  const id = ids.get(n) ?? `n:${name}`, present = nodes.get(id);
  ids.delete(n);
  // A declared name was removed; it may have been asleep.
  if (n === undefined) return void (present?.exists || nodes.delete(id));
  const node = former.get(n) ?? present;
  if (!node) return;
  const isReplaced = node !== present;
  news.died.push({ ...node, reason, lived, last, edges: isReplaced ? [] : cut.get(id) });
  if (isReplaced) return; // its successor has the name
  const { kind, title, unit, description, severity, ok, op, label, inputs, families, type, retain } = node;
  if (node.name === undefined || node.family || /removed|away/.test(reason)) nodes.delete(id);
  else nodes.set(id, { id, kind, name: node.name, title, unit, description, severity, ...("ok" in node && { ok }), op,
    label, inputs, families, type, retain, exists: false, owners: [], ownerCount: 0, count: 0 });
}
