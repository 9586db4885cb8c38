// Replaces the client while views show the past: the same calls, answered from one past picture
// after another.
import { SluiceError, decode } from "/client.js";

const refuse = () => Promise.reject(new SluiceError({ code: "past", msg: "the past cannot be changed" }));
const missing = { ended: { code: "past", msg: "there was no such node at that revision" } };
const unknown = { ended: { code: "past", msg: "pipelines run on live values only" } };
/** So many pages of members are asked for at most. */
const mostPages = 5;
const heldOf = ({ v, empty, fail }) => (fail ? { fail } : v === undefined || empty ? { empty: true } : { v });

export class PastClient {
  state = { name: "past" };
  limits = {};
  session = undefined;
  epoch = undefined;
  set = refuse;
  presence = refuse;
  #graph; #picture = null; #time = null; #first; #begin; #watchers = new Set(); #numbers = new Map();

  constructor(graph) {
    this.#graph = graph;
    this.#first = new Promise((resolve) => (this.#begin = resolve));
  }

  /** What requests about this revision have in their query. */
  get query() { return this.#picture ? `at=${this.#picture.rev}&epoch=${encodeURIComponent(this.epoch)}` : ""; }

  /** The time that is shown, in milliseconds since 1970. */
  now = () => this.#time ?? Date.now();

  /** The picture that is shown, as soon as there is one. */
  picture = () => this.#first.then(() => this.#picture);

  /** Shows the graph as it was at a time. */
  show(picture, time) {
    this.#time = time;
    this.#picture = { listeners: [], edges: [], ...this.#renumber(picture) };
    this.#begin();
    for (const watcher of [...this.#watchers]) watcher();
  }

  /**
   * Each picture has numbers of its own: equal nodes keep the number that they had first, so that a
   * drawing keeps its places.
   */
  #renumber(picture) {
    const numbers = new Map(), counts = new Map();
    for (const { n, name, op, label, of } of picture.nodes) {
      const like = name === undefined ? `${of} ${op} ${label}` : `= ${name}`, count = counts.get(like) ?? 0,
        key = `${count} ${like}`;
      counts.set(like, count + 1);
      if (!this.#numbers.has(key)) this.#numbers.set(key, this.#numbers.size + 1);
      if (n !== undefined) numbers.set(n, this.#numbers.get(key));
    }
    const nodes = picture.nodes.map((node) =>
      (node.n === undefined ? node : { ...node, n: numbers.get(node.n), owners: [], born: undefined,
        count: undefined }));
    const edges = (picture.edges ?? []).map((edge) =>
      ({ ...edge, from: numbers.get(edge.from), to: numbers.get(edge.to) }));
    return { ...picture, nodes, edges };
  }

  #node(name) { return this.#picture.nodes.find((node) => node.name === name); }

  #join(tell) {
    this.#watchers.add(tell);
    if (this.#picture) queueMicrotask(() => this.#watchers.has(tell) && tell());
    return { stale: false, again: tell, close: () => this.#watchers.delete(tell) };
  }

  observe(graph, fn) { return this.#join(() => fn({ ...this.#picture, op: "topo" })); }

  watch(target, type, fn, { pipe } = {}) {
    const { node, nodes } = typeof target === "string" ? { node: target.split("/")[1] } : target;
    const names = new Set(), tell = () => nodes ? this.#tellAll(nodes, names, fn, () => this.#watchers.has(tell))
      : this.#tell(node, pipe, type, fn);
    return this.#join(tell);
  }

  #tell(name, pipe, type, fn) {
    const node = this.#node(name), { rev, epoch } = this.#picture;
    // Times may go back: a chart's points belong to another moment.
    if (!node || pipe?.length) return fn(undefined, { ...(node ? unknown : missing), rev, epoch, anew: true });
    const { v, empty, fail } = heldOf(node), value = typeof type === "function" && v !== undefined && type !== Object
      ? type(v) : v;
    fn(value, { t: node.t, rev, c: node.c, epoch, folded: 1, empty, fail, anew: true });
  }

  /** The members that globs match, where a picture has only their number: `{ name: entry }`. */
  async #members(globs) {
    const { families = [], nodes } = this.#picture, named = new Set(nodes.map(({ family }) => family)), found = {};
    const isHidden = families.some(({ name, members }) => members && !named.has(name));
    const query = new URLSearchParams(`nodes=${globs}&${this.query}`);
    for (let i = 0; isHidden && i < mostPages; i++) {
      const answer = await fetch(`/v1/graphs/${encodeURIComponent(this.#graph)}/values?${query}`).catch(() => {});
      const { m, next } = answer?.ok ? decode(await answer.text()) : {};
      Object.assign(found, m);
      if (!next) break;
      query.set("next", next);
    }
    return found;
  }

  /** Groups nodes that changed at the same time; `before` has the names that were there. */
  async #tellAll(globs, before, fn, isWatched) {
    const picture = this.#picture, { rev, epoch, nodes } = picture, members = await this.#members(globs);
    if (this.#picture !== picture || !isWatched()) return;
    const fits = globs.map((glob) =>
      new RegExp(`^${glob.replace(/[.-]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")}$`));
    const named = nodes.filter(({ name }) => name !== undefined && fits.some((each) => each.test(name)));
    for (const { name } of named) delete members[name];
    // When hidden members got their values is not known.
    const all = [...named, ...Object.entries(members).map(([name, entry]) => ({ ...entry, name, t: 0 }))];
    const present = new Set(all.map(({ name }) => name)), gone = [...before].filter((name) => !present.has(name));
    for (const [t, some] of Map.groupBy(all, (node) => node.t)) {
      fn({}, { m: Object.fromEntries(some.map((node) => [node.name, heldOf(node)])), t, rev, epoch });
    }
    if (gone.length) fn({}, { m: Object.fromEntries(gone.map((name) => [name, { gone: true }])), t: picture.t, rev, epoch });
    before.clear();
    for (const name of present) before.add(name);
  }

  async get(target, what) {
    const { nodes, rev, t } = await this.picture(),
      names = typeof target === "string" && target.includes("/") ? [target.split("/")[1]] : what;
    const m = Object.fromEntries(nodes.filter(({ name }) => names.includes(name)).map((node) =>
      [node.name, heldOf(node)]));
    return { epoch: this.epoch, rev, t, m };
  }

  close() { this.#watchers.clear(); }
}
