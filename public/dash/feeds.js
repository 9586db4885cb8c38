// Where the values of widgets come from, and how much of them is kept: feeds listen and own; the graph itself is only looked at.

/** The newest points, `most` at most, and when nothing was heard. Room is made as points come: few nodes fill it. */
export class Ring {
  #t = new Float64Array(0); #v = this.#t; #start = 0;
  length = 0;
  /** `{ from, to }`, oldest first; `to` is Infinity while it lasts. */
  gaps = [];

  constructor(most) { this.most = most; }

  #at(i) { return (this.#start + i) % this.#t.length; }
  time(i) { return this.#t[this.#at(i)]; }
  value(i) { return this.#v[this.#at(i)]; }
  times() { return Array.from({ length: this.length }, (_, i) => this.time(i)); }
  get last() { return this.length ? this.time(this.length - 1) : undefined; }

  #grow() {
    [this.#t, this.#v] = [this.#t, this.#v].map((old) => {
      const next = new Float64Array(Math.min(this.most, Math.max(64, 2 * old.length)));
      next.set(old.subarray(this.#start));
      next.set(old.subarray(0, this.#start), old.length - this.#start);
      return next;
    });
    this.#start = 0;
  }

  /** NaN where there is no number. Time never goes back. */
  push(t, v) {
    if (t < this.last) t = this.last;
    if (this.length === this.#t.length && this.length < this.most) this.#grow();
    if (this.length < this.#t.length) this.length++;
    else this.#start = this.#at(1);
    const place = this.#at(this.length - 1);
    this.#t[place] = t;
    this.#v[place] = v;
  }

  openGap(from) {
    if (this.gaps.at(-1)?.to !== Infinity) this.gaps.push({ from, to: Infinity });
    if (this.gaps.length > 64) this.gaps.shift();
  }

  closeGap(to) {
    const last = this.gaps.at(-1);
    if (last?.to === Infinity) last.to = Math.max(to, last.from);
  }

  /** The first point not before `t`. */
  index(t) {
    let low = 0, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time(middle) < t) low = middle + 1; else high = middle;
    }
    return low;
  }

  /** The newest value not later, or NaN. */
  at(t) {
    let next = this.index(t);
    while (next < this.length && this.time(next) <= t) next++;
    return next ? this.value(next - 1) : NaN;
  }

  extent(from, to) {
    let low = Infinity, high = -Infinity;
    for (let i = Math.max(0, this.index(from) - 1); i < this.length && this.time(i) <= to; i++) {
      const v = this.value(i);
      if (v < low) low = v;
      if (v > high) high = v;
    }
    return low <= high ? [low, high] : null;
  }

  /** Draws what held as steps, with both extremes of each column of pixels, and gives what holds at the end; canvases draw no line to NaN. */
  trace(pen, from, to, left, width, y) {
    let held = NaN, column = -1, low, high, last;
    const flush = () => {
      const x = left + column + 0.5;
      if (held === held) pen.lineTo(x, y(held));
      else pen.moveTo(x, y(low));
      for (const v of [low, high, last]) pen.lineTo(x, y(v));
      held = last;
    };
    for (let i = Math.max(0, this.index(from) - 1); i < this.length && this.time(i) <= to; i++) {
      const v = this.value(i), x = Math.max(0, Math.min(width - 1, Math.floor((this.time(i) - from) / (to - from) * width)));
      if (x === column && v === v && last === last) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      } else {
        if (x !== column && column >= 0) flush();
        low = high = v;
      }
      column = x;
      last = v;
    }
    if (column >= 0) flush();
    pen.lineTo(left + width, y(held));
    return held;
  }
}

/** A graph's nodes and listeners as they are. */
export class Observed extends EventTarget {
  /** Null until, or where, it may not be seen. */
  nodes = null; listeners = null;
  refused = "";
  /** When there are nodes. */
  known = new Promise((resolve) => this.addEventListener("change", resolve, { once: true }));
  #watch;

  constructor(client, graph) {
    super();
    this.#watch = client.observe(graph, (event) => this.#hear(event, graph), { every: 500 });
  }

  close() { this.#watch.close(); }

  #hear(event, graph) {
    const { op, add, del, code } = event;
    if (op === "topo") {
      this.listeners = new Map();
      this.#begin(event);
    } else if (op === "topod") {
      // Who came and went between two messages is in both; a name that is gone and back has come.
      for (const { name, reason } of del?.nodes ?? []) if (reason === "removed") this.nodes.delete(name);
      this.#add(add ?? {});
      for (const { l } of del?.listeners ?? []) this.listeners.delete(l);
    } else if (code !== "shutdown" && code !== "closed") {
      // Who may read but not observe gets the definition's picture.
      this.refused = event.msg ?? code;
      fetch(`/v1/graphs/${encodeURIComponent(graph)}/graph?format=json`).then((answer) => (answer.ok ? answer.json() : {})).then((picture) => this.#begin(picture), () => {});
    }
  }

  #begin(picture) {
    this.nodes = new Map();
    this.#add(picture);
  }

  #add({ nodes = [], listeners = [] }) {
    for (const each of nodes) if (each.name) this.nodes.set(each.name, each);
    for (const each of listeners) this.listeners?.set(each.l, each);
    this.dispatchEvent(new Event("change"));
  }
}

/** Widgets of one source share one feed: a chart keeps its past when it is edited. */
export class Feeds {
  #client; #graph; #facts; #feeds = new Map(); #late = Infinity; #lost = null;

  constructor(client, graph, facts) {
    this.#client = client;
    this.#graph = graph;
    this.#facts = facts;
  }

  /** By the server's clock, where that runs ahead of this one or is far behind: anything less is the way that values take. */
  now = () => Date.now() - (this.#late < -500 || (this.#late > 5000 && this.#late < Infinity) ? this.#late : 0);

  /** The feed of a node that looks back on `past` values; close what comes back. */
  open(node, pipe, past, listener) {
    const key = JSON.stringify([node, pipe]);
    let feed = this.#feeds.get(key);
    if (!feed) {
      feed = { node, ring: new Ring(past), entry: null, meta: null, at: 0, between: 0, folds: 1, listeners: new Set() };
      this.#feeds.set(key, feed);
      const history = pipe ? undefined : Math.min(this.#facts(node)?.history ?? 0, 3600) || undefined;
      feed.watch = this.#client.watch({ graph: this.#graph, node }, null, (value, meta) => this.#hear(feed, value, meta), { pipe, history, every: 50 });
    }
    clearTimeout(feed.timer);
    feed.ring.most = Math.max(feed.ring.most, past);
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
    if (isLive === (this.#lost === null)) return;
    this.#lost = isLive ? null : this.now();
    for (const { ring } of this.#feeds.values()) isLive ? ring.closeGap(this.now()) : ring.openGap(this.#lost);
  }

  close() {
    for (const { timer, watch } of this.#feeds.values()) { clearTimeout(timer); watch.close(); }
    this.#feeds.clear();
  }

  #hear(feed, value, meta) {
    const { t, rev, gap, history, ended, fail, empty, folded = 1 } = meta, at = Date.now();
    // What was told at the beginning or after a loss may be of any age; so may what waited in a sleeping machine, but the next is not.
    if (!history && t && (at < t || (rev > feed.meta?.rev && !gap))) this.#late = Math.min(this.#late, at - t);
    const number = typeof value === "bigint" || typeof value === "boolean" ? Number(value) : typeof value === "number" ? value : NaN;
    if (ended) {
      feed.endedAt = at;
      feed.ring.push(this.now(), NaN);
    } else {
      if (t) feed.ring.push(t, number);
      feed.entry = fail ? { fail } : empty || value === undefined ? { empty: true } : { v: value };
    }
    feed.meta = meta;
    if (!history) {
      if (feed.at) feed.between = feed.between ? 0.8 * feed.between + 0.2 * (at - feed.at) : at - feed.at;
      feed.folds = 0.9 * feed.folds + 0.1 * folded;
    }
    feed.at = at;
    for (const listener of feed.listeners) listener(feed);
  }
}
