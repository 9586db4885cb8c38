// Where a dashboard's values come from: feeds listen and own; the graph itself is only looked at.
import { Ring } from "/chart/model.js";

export class Observed extends EventTarget {
  /** Null until, or where, it may not be seen. */
  nodes = null; listeners = null;
  refused = "";
  #watch;

  constructor(client, graph) {
    super();
    this.#watch = client.observe(graph, (event) => this.#hear(event, graph), { every: 500 });
  }

  close() { this.#watch.close(); }

  #hear(event, graph) {
    if (event.op === "topo") {
      this.nodes = new Map();
      this.listeners = new Map();
      this.#add(event);
    } else if (event.op === "topod") {
      // Who came and went between two messages is in both.
      if (event.add) this.#add(event.add);
      for (const { l } of event.del?.listeners ?? []) this.listeners.delete(l);
      if (!event.add?.nodes?.length && !event.add?.listeners?.length && !event.del?.listeners?.length) return;
    } else if (event.code === "shutdown" || event.code === "closed") {
      return;
    } else {
      // Who may read but not observe gets the definition's picture.
      this.refused = event.msg ?? event.code;
      fetch(`/v1/graphs/${encodeURIComponent(graph)}/graph?format=json`).then((answer) => (answer.ok ? answer.json() : { nodes: [] })).then((picture) => {
        this.nodes = new Map();
        this.#add(picture);
        this.dispatchEvent(new Event("change"));
      }, () => {});
      return;
    }
    this.dispatchEvent(new Event("change"));
  }

  #add({ nodes, listeners }) {
    for (const each of nodes ?? []) if (each.name) this.nodes.set(each.name, each);
    for (const each of listeners ?? []) this.listeners?.set(each.l, each);
  }
}

/** Widgets of one source share one feed: a chart keeps its past when it is edited. */
export class Feeds {
  #client; #graph; #facts; #feeds = new Map(); #skew = 0; #lost = null;

  constructor(client, graph, facts) {
    this.#client = client;
    this.#graph = graph;
    this.#facts = facts;
  }

  now = () => Date.now() - this.#skew;

  /** The feed of a node; close what comes back. */
  open(node, pipe, listener) {
    const key = JSON.stringify([node, pipe]);
    let feed = this.#feeds.get(key);
    if (!feed) {
      feed = { node, ring: new Ring(8192), entry: null, meta: null, at: 0, between: 0, folds: 1, listeners: new Set() };
      this.#feeds.set(key, feed);
      const history = pipe ? undefined : Math.min(this.#facts(node)?.history ?? 0, 3600) || undefined;
      feed.watch = this.#client.watch({ graph: this.#graph, node }, null, (value, meta) => this.#hear(feed, value, meta), { pipe, history, every: 50 });
    }
    clearTimeout(feed.timer);
    feed.listeners.add(listener);
    if (feed.meta) listener(feed);
    return {
      feed,
      close: () => {
        feed.listeners.delete(listener);
        if (!feed.listeners.size) feed.timer = setTimeout(() => { this.#feeds.delete(key); feed.watch.close(); }, 300);
      },
    };
  }

  connected(isLive) {
    if (!isLive && this.#lost === null) {
      this.#lost = this.now();
      for (const { ring } of this.#feeds.values()) if (ring.length) ring.openGap(this.#lost);
    } else if (isLive && this.#lost !== null) {
      this.#lost = null;
      for (const { ring } of this.#feeds.values()) ring.closeGap(this.now());
    }
  }

  close() {
    for (const feed of this.#feeds.values()) { clearTimeout(feed.timer); feed.watch.close(); }
    this.#feeds.clear();
  }

  #hear(feed, value, meta) {
    if (meta.t && !meta.history) {
      const late = Date.now() - meta.t;
      // Only a clock that runs ahead of this one, or is far behind, is worth minding.
      if (late < -500 || (late > 5000 && feed.at && this.#skew === 0 && meta.rev > (feed.meta?.rev ?? Infinity))) this.#skew = late;
    }
    const number = typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : value === true ? 1 : value === false ? 0 : NaN;
    if (!meta.ended && meta.t) feed.ring.push(meta.t, number);
    feed.meta = meta;
    if (meta.ended) feed.endedAt = Date.now();
    else feed.entry = meta.fail ? { fail: meta.fail } : meta.empty || value === undefined ? { empty: true } : { v: value };
    if (!meta.history) {
      const at = Date.now();
      if (feed.at) feed.between = feed.between ? 0.8 * feed.between + 0.2 * (at - feed.at) : at - feed.at;
      feed.at = at;
      feed.folds = 0.9 * feed.folds + 0.1 * (meta.folded ?? 1);
    }
    for (const listener of feed.listeners) listener(feed);
  }
}
