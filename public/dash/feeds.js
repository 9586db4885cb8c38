// What widgets show, heard once: widgets of one source share one feed, with its newest points in memory, so that a chart
// keeps its past when it is moved, edited or shown as a table.
import { Ring } from "/chart/ring.js";

const capacity = 8192;

export class Feeds {
  #client; #graph; #facts; #feeds = new Map(); #skew = 0; #lost = null; #lastHeard = 0;

  /** `facts(name)`: what is known of a node: `{ unit, history, … }`. */
  constructor(client, graph, facts) {
    this.#client = client;
    this.#graph = graph;
    this.#facts = facts;
  }

  /** The server's time, as far as it differs noticeably from this machine's. */
  now = () => Date.now() - this.#skew;

  /** The feed of a node, with the stages of `pipe` run for it by the server; close what comes back. */
  open(node, pipe, listener) {
    const key = JSON.stringify([node, pipe]);
    let feed = this.#feeds.get(key);
    if (!feed) {
      feed = { key, node, ring: new Ring(capacity), entry: null, meta: null, at: 0, between: 0, folds: 1, listeners: new Set(), watch: null };
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

  /** Whether the connection is up: what was not heard meanwhile becomes a gap. */
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
