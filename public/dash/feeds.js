// The sources of values for widgets: feeds listen and own; the graph itself is only observed.
import { load } from "../lib/dom.js";
import { same as isSame } from "../lib/format.js";

/** The newest `most` points, and the gaps. Memory grows with the points: few nodes fill it. */
export class Ring {
  #t = new Float64Array(0); #v = this.#t; #start = 0;
  length = 0;
  /** `{ from, to }`, oldest first; endless while it lasts. */
  gaps = [];
  /** When the last report came, while the value is out of date (0: not known); else undefined. */
  staleSince;

  constructor(most) { this.most = most; }

  #at(i) { return (this.#start + i) % this.#t.length; }
  time(i) { return this.#t[this.#at(i)]; }
  value(i) { return this.#v[this.#at(i)]; }

  /** Some points as they are stored, in one part or two: `[times, values, first, end]`. */
  parts(first, end) {
    const size = this.#t.length, a = this.#start + first, b = this.#start + end;
    const all = b <= size ? [[a, b]] : a >= size ? [[a - size, b - size]] : [[a, size], [0, b - size]];
    return all.map((part) => [this.#t, this.#v, ...part]);
  }

  #grow() {
    [this.#t, this.#v] = [this.#t, this.#v].map((old) => {
      const next = new Float64Array(Math.min(this.most, Math.max(64, 2 * old.length)));
      next.set(old.subarray(this.#start));
      next.set(old.subarray(0, this.#start), old.length - this.#start);
      return next;
    });
    this.#start = 0;
  }

  /** NaN stands for a missing number. Time never goes back. */
  push(t, v) {
    if (this.length === this.#t.length && this.length < this.most) this.#grow();
    if (this.length < this.#t.length) this.length++;
    else this.#start = this.#at(1);
    const last = this.length - 1;
    this.#v[this.#at(last)] = v;
    this.#t[this.#at(last)] = last ? Math.max(t, this.time(last - 1)) : t;
  }

  /**
   * Puts `points`, which are `[t, v]`, before those it has: as many of the newest as there is room
   * for. The first that it has may be among them, and others of the same time before that one.
   */
  prepend(points) {
    const own = Array.from({ length: this.length }, (_, i) => [this.time(i), this.value(i)]);
    const [first, value] = own[0] ?? [Infinity], room = Math.max(0, this.most - own.length);
    const known = points.findIndex(([t, v]) => t === first && v === value);
    const before = known < 0 ? points.filter(([t]) => t < first) : points.slice(0, known);
    const older = room ? before.slice(-room) : [];
    [this.length, this.#start] = [0, 0];
    for (const [t, v] of [...older, ...own]) this.push(t, v);
  }

  clear() { [this.length, this.#start, this.gaps] = [0, 0, []]; }
  openGap(from) { this.gaps = [...this.gaps.slice(-63), { from, to: Infinity }]; }
  closeGap(to) { for (const gap of this.gaps.slice(-1)) gap.to = Math.min(gap.to, to); }

  index(t) {
    let low = 0, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time(middle) < t) low = middle + 1; else high = middle;
    }
    return low;
  }

  at(t) {
    let next = this.index(t);
    while (next < this.length && this.time(next) <= t) next++;
    return next ? this.value(next - 1) : NaN;
  }
}

/** What widgets take from the definition of a node. */
const definitionOf = ({ kind, title, unit, icon, role, type, enum: choices, severity, ok, words, min, max, history }) =>
  JSON.stringify([kind, title, unit, icon, role, type, choices, severity, ok, words, min, max, history]);

/** A graph without its values. "change" is any news; "redefined" names nodes that differ now. */
export class Observed extends EventTarget {
  /** By name and by id; null until they are known, or if they may not be seen. */
  nodes = null; listeners = null; families = [];
  refused = "";
  known = new Promise((resolve) => this.addEventListener("change", resolve, { once: true }));
  #watch; #kin = null; #members = new Map();

  constructor(client, graph) {
    super();
    // One after the other: what the first needs may load longer than the next takes to come.
    let last = Promise.resolve();
    const hear = (event) => { last = last.then(() => this.#hear(event, graph)).catch(reportError); };
    this.#watch = client.observe(graph, hear, { every: 500, members: [] });
  }

  /** The definition of a node, or of a member as its family has it. */
  facts(name) {
    const known = this.nodes?.get(name) ?? this.#members.get(name), family = known ? null
      : this.#kin?.familyOf(this.families, name);
    if (!family) return known;
    const member = { ...family, family: family.name, name };
    this.#members.set(name, Object.assign(member, this.#kin.called(member)));
    return member;
  }

  close() { this.#watch.close(); }

  async #hear({ op, add = {}, del = {}, code, msg, ...picture }, graph) {
    if (picture.families) this.#kin ??= await load("/graph/kin.js").catch(() => null);
    const before = this.nodes && new Map(this.nodes), { families } = this;
    if (op === "topo") {
      this.nodes = new Map();
      this.listeners = new Map();
      this.#add(picture);
    } else if (op === "topod") {
      // A node that came and went between two messages is in both lists; one that was removed and
      // added again exists.
      for (const { name, reason } of del.nodes ?? []) if (reason === "removed") this.nodes.delete(name);
      this.#add({ ...add, families: picture.families });
      for (const { l } of del.listeners ?? []) this.listeners.delete(l);
    } else if (code !== "shutdown" && code !== "closed") {
      // A client that may read but not observe gets the picture of the definition.
      this.refused = msg ?? code;
      const answer = await fetch(`/v1/graphs/${encodeURIComponent(graph)}/graph?format=json`).catch(() => {});
      if (!answer) return;
      this.nodes = new Map();
      this.#add(answer.ok ? await answer.json() : {});
    }
    if (before) this.#compare(before, families);
  }

  #compare(before, families) {
    const { nodes } = this, namesOf = (all) => String(all.map(({ name, title }) => [name, title]));
    const others = [...new Set([...before.keys(), ...nodes.keys()])].filter((name) => {
      const [old, now] = [before.get(name), nodes.get(name)];
      return old !== now && (!old || !now || definitionOf(old) !== definitionOf(now));
    });
    if (!others.length && namesOf(families) === namesOf(this.families)) return;
    this.dispatchEvent(new CustomEvent("redefined", { detail: others }));
  }

  #add({ nodes = [], listeners = [], families = this.families }) {
    if (families !== this.families) this.#members.clear();
    this.families = families;
    for (const each of nodes) if (each.name) this.nodes.set(each.name, each);
    for (const each of listeners) this.listeners?.set(each.l, each);
    this.dispatchEvent(new Event("change"));
  }
}

const numberOf = (value) => /number|bigint|boolean/.test(typeof value) ? Number(value) : NaN;

/** So many older points of a node are asked for at most. */
const mostOlder = 3600;
/** When a value was committed; 0 where that is not known: a snapshot has the time of its graph. */
export const timeOf = ({ t, c, rev }, known) => ((c ?? rev) === rev ? t : known?.c === c ? known.t : 0);

/** Widgets of one source share one feed: a chart keeps its past when it is edited. */
export class Feeds {
  #client; #graph; #facts; #feeds = new Map(); #late; #isLost = false;

  constructor(client, graph, facts) {
    this.#client = client;
    this.#graph = graph;
    this.#facts = facts;
  }

  /** The server's clock, if that is ahead or far behind: smaller differences are network delay. */
  now = () => this.#client.now?.() ?? Date.now() - (this.#late < -500 || this.#late > 5000 ? this.#late : 0);

  /** `hasPast`: the past is shown, so it is requested from the server. */
  open(node, pipe, past, listener, hasPast) {
    const key = JSON.stringify([node, pipe]);
    let feed = this.#feeds.get(key);
    if (!feed) {
      feed = { node, ring: new Ring(past), at: 0, between: 0, folds: 1, listeners: new Set() };
      this.#feeds.set(key, feed);
      const known = (!pipe && this.#facts(node)) || {};
      // Where there are steps of time, these are the past.
      const history = (!known.steps && Math.min(known.history ?? 0, mostOlder)) || undefined;
      const hear = (value, meta) => this.#hear(feed, value, meta), options = { pipe, history, every: 50, facets: true };
      feed.watch = this.#client.watch({ graph: this.#graph, node }, null, hear, options);
    }
    clearTimeout(feed.timer);
    feed.ring.most = Math.max(feed.ring.most, past);
    feed.listeners.add(listener);
    if (hasPast && !pipe && !feed.older) feed.older = this.#lookBack(feed);
    if (feed.meta) listener(feed);
    return {
      feed,
      close: () => {
        feed.listeners.delete(listener);
        if (!feed.listeners.size) feed.timer = setTimeout(() => { this.#feeds.delete(key); feed.watch.close(); }, 300);
      },
    };
  }

  /**
   * The past of a derived node without a history of its own, which the server computes from what
   * its sources keep. The widgets themselves ask for steps of time.
   */
  async #lookBack(feed) {
    const { kind, history, steps } = this.#facts(feed.node) ?? {};
    // A client of the past knows what was, and has nothing to add.
    if (this.#client.now || steps || kind !== "derived" || history) return;
    const path = `/v1/graphs/${encodeURIComponent(this.#graph)}/nodes/${encodeURIComponent(feed.node)}/history`;
    const answer = await fetch(`${path}?limit=${Math.min(feed.ring.most, mostOlder)}`).catch(() => {});
    const { d, epoch } = answer?.ok ? await answer.json() : {};
    // The values may have begun anew meanwhile.
    if (!d?.length || (feed.meta && feed.meta.epoch !== epoch)) return;
    feed.ring.prepend(d.map(({ t, v }) => [t, numberOf(v)]));
    for (const listener of feed.listeners) if (feed.meta) listener(feed);
  }

  connected(isLive) {
    if (isLive !== this.#isLost) return;
    this.#isLost = !isLive;
    for (const { ring } of this.#feeds.values()) ring[isLive ? "closeGap" : "openGap"](this.now());
  }

  close() {
    for (const { timer, watch } of this.#feeds.values()) { clearTimeout(timer); watch.close(); }
    this.#feeds.clear();
  }

  #hear(feed, value, meta) {
    const { t, rev, gap, history, ended, fail, empty, same, state = {}, folded = 1 } = meta;
    const at = Date.now(), late = at - t, isStale = !!state.stale, known = this.#facts(feed.node);
    // The first value, and the first after a loss or after the machine has slept, may have any age.
    if (!history && !(late >= this.#late) && (late < 0 || (rev > feed.meta?.rev && !gap))) this.#late = late;
    const isConfirmed = same && !history && state.t > feed.reported;
    if (!same) feed.changed = timeOf(meta, known);
    feed.reported = state.t ?? feed.reported;
    feed.ring.staleSince = state.stale ? state.t ?? feed.changed : undefined;
    feed.meta = meta;
    if (meta.anew) {
      feed.ring.clear();
      feed.since = 0;
    }
    if (ended) {
      feed.endedAt = at;
      feed.ring.push(this.now(), NaN);
    } else if (!same) {
      if (t) feed.ring.push(t, numberOf(value));
      const entry = fail ? { fail } : empty || value === undefined ? { empty: true } : { v: value };
      // A sensor may report the same again and again.
      if (feed.entry && !isSame(feed.entry, entry)) feed.since = feed.changed;
      feed.entry = entry;
    } else if (isConfirmed) {
      // Confirmed without a change, it counts from then on.
      feed.ring.push(state.t, numberOf(feed.entry?.v));
    }
    // What is out of date is no value of this time; confirmed, it is again.
    if (!ended && !history && isStale !== !!feed.isStale) {
      if (isStale) feed.ring.push(this.now(), NaN);
      else if (same && !isConfirmed) feed.ring.push(this.now(), numberOf(feed.entry?.v));
      feed.isStale = isStale;
    }
    if (!history && !same) {
      if (feed.at) feed.between = feed.between ? 0.8 * feed.between + 0.2 * (at - feed.at) : at - feed.at;
      feed.folds = 0.9 * feed.folds + 0.1 * folded;
    }
    feed.at = at;
    for (const listener of feed.listeners) listener(feed);
  }
}
