// Replaces the client while views show the past: the same calls, answered from one past picture
// after another.
import { SluiceError } from "/client.js";

const refuse = () => Promise.reject(new SluiceError({ code: "past", msg: "the past cannot be changed" }));
const missing = { ended: { code: "past", msg: "there was no such node at that revision" } };
const unknown = { ended: { code: "past", msg: "pipelines run on live values only" } };
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
    let names = new Set();
    return this.#join(() => nodes ? (names = this.#tellAll(nodes, names, fn)) : this.#tell(node, pipe, type, fn));
  }

  #tell(name, pipe, type, fn) {
    const node = this.#node(name), { rev, epoch } = this.#picture;
    // Times may go back: a chart's points belong to another moment.
    if (!node || pipe?.length) return fn(undefined, { ...(node ? unknown : missing), rev, epoch, anew: true });
    const { v, empty, fail } = heldOf(node), value = typeof type === "function" && v !== undefined && type !== Object
      ? type(v) : v;
    fn(value, { t: node.t, rev, c: node.c, epoch, folded: 1, empty, fail, anew: true });
  }

  /** Groups nodes that changed at the same time; returns the names of all. */
  #tellAll(globs, before, fn) {
    const fits = globs.map((glob) =>
      new RegExp(`^${glob.replace(/[.-]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")}$`));
    const { rev, epoch, nodes } = this.#picture,
      named = nodes.filter(({ name }) => name !== undefined && fits.some((each) => each.test(name)));
    const present = new Set(named.map(({ name }) => name)), gone = [...before].filter((name) => !present.has(name));
    for (const [t, all] of Map.groupBy(named, (node) => node.t)) {
      fn({}, { m: Object.fromEntries(all.map((node) => [node.name, heldOf(node)])), t, rev, epoch });
    }
    if (gone.length) fn({}, { m: Object.fromEntries(gone.map((name) => [name, { gone: true }])), t: this.#picture.t,
      rev, epoch });
    return present;
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
