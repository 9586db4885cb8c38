// The frame of a widget, and where its values come from: feeds listen and own; the graph itself is only looked at.
import { Ring } from "/chart/model.js";
import { h, icon, load, setText } from "/lib/dom.js";
import { formatAge, formatDuration } from "/lib/format.js";
import { graphPath, href } from "/lib/page.js";

const figures = () => load("/dash/figures.js"), gauges = () => load("/dash/gauges.js"), lists = () => load("/dash/lists.js"), people = () => load("/dash/people.js");

/** `source`: how many nodes a kind takes; "maybe" where text will do. */
export const kinds = {
  number: { label: "Number", source: "one", load: figures },
  sparkline: { label: "Sparkline", source: "one", load: gauges },
  series: { label: "Time series", source: "several", load: figures },
  gauge: { label: "Gauge", source: "one", load: gauges },
  lamp: { label: "State lamp", source: "one", load: figures },
  editor: { label: "Editor", source: "mutable", load: figures },
  text: { label: "Text", source: "maybe", load: figures },
  table: { label: "Table", source: "several", load: lists },
  log: { label: "Log", source: "one", load: lists },
  people: { label: "Who is here", source: "several", load: people },
  clients: { label: "Client list", source: "none", load: people },
};

export class Widget {
  sources = []; picture = null;
  #board; #state; #note; #ending = new AbortController(); #noteText = ""; #words = h("span"); #againButton;

  constructor(data, board) {
    this.data = data;
    this.#board = board;
    const kind = kinds[data.kind];
    this.#state = h("span", { class: "widget-state small dim" });
    this.#againButton = h("button", { type: "button", class: "link", onclick: () => this.#again() }, "Watch it again");
    this.#note = h("div", { class: "widget-note small", hidden: true }, this.#words, " ", this.#againButton);
    this.body = h("div", { class: "widget-body" });
    this.menuButton = h("button", { type: "button", class: "quiet only-icon widget-menu", "aria-label": `Menu of ${this.title}`, "aria-haspopup": "menu", onclick: () => board.edit((editing) => editing.menu(this)) }, icon("M3 8h.01M8 8h.01M13 8h.01"));
    this.element = h("article", { class: "widget card", dataset: { kind: data.kind }, "aria-label": `${this.title}, ${kind?.label ?? data.kind}` },
      h("header", {}, h("h2", {}, this.#heading()), this.#state, this.menuButton), this.body, this.#note, h("span", { class: "widget-resize", "aria-hidden": "true" }));
    if (!kind) {
      this.body.append(h("p", { class: "dim" }, `A widget of the kind “${data.kind}”, which this page does not know.`));
      return;
    }
    board.page.frame.tick(() => this.#age(), this.#ending.signal);
    board.page.store.listen("state", () => this.#age(), this.#ending.signal);
    this.#start(kind);
  }

  get nodes() { return this.data.nodes ?? (this.data.node ? [this.data.node] : []); }

  get title() {
    const { title, node, nodes, kind } = this.data, name = node ?? nodes?.[0];
    return title ?? (nodes?.length > 1 ? nodes.map((each) => this.#board.facts(each)?.title ?? each).join(", ") : this.#board.facts(name)?.title ?? name ?? kinds[kind]?.label ?? kind);
  }

  #heading() {
    const [node] = this.nodes, text = this.title;
    return node && !/[*?]/.test(node) ? h("a", { href: href(`${graphPath(this.#board.graph)}?node=${encodeURIComponent(node)}`), title: `${node} in the graph` }, text) : text;
  }

  async #start(kind) {
    const board = this.#board, { data } = this, names = this.#names();
    if (!names.length && ["one", "several", "mutable"].includes(kind.source)) {
      this.body.append(h("p", { class: "dim" }, "No node is chosen. Edit this widget to choose one."));
      return;
    }
    this.sources = names.map((name) => board.feeds.open(name, data.pipe, (feed) => this.#heard(feed)));
    const { signal } = this.#ending;
    let picture;
    try {
      const module = await kind.load();
      if (signal.aborted) return;
      picture = await module[data.kind](data, {
        feeds: this.sources.map(({ feed }) => feed), page: board.page, graph: board.graph, now: board.feeds.now, shared: board.shared,
        facts: (name) => board.facts(name), unit: (name) => data.unit ?? (data.pipe ? "" : board.facts(name)?.unit ?? ""), title: this.title,
        observed: board.observed, signal,
      });
    } catch (error) {
      this.body.append(h("p", { class: "bad" }, `This kind of widget could not be loaded (${error.message}).`));
      return;
    }
    if (signal.aborted) return picture.close();
    this.picture = picture;
    this.body.replaceChildren(this.picture.element);
    this.picture.mark();
    this.#age();
  }

  #names() {
    const all = this.nodes.flatMap((name) => {
      if (!/[*?]/.test(name)) return [name];
      const pattern = new RegExp(`^${name.replace(/[.-]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")}$`);
      return [...(this.#board.observed.nodes?.keys() ?? [])].filter((each) => pattern.test(each));
    });
    return [...new Set(all)].slice(0, this.data.kind === "table" ? 200 : 6);
  }

  #heard(feed) {
    this.picture?.show(feed);
    if (feed.meta.ended || this.#noteText) this.#age();
  }

  #age() {
    const state = this.#board.page.store.get("state"), isLive = state.name === "live", now = Date.now();
    const ended = this.sources.map(({ feed }) => feed).find(({ meta }) => meta?.ended);
    this.element.classList.toggle("ended", !!ended);
    let text = "", note = "";
    if (ended) {
      const { code, msg } = ended.meta.ended;
      note = code === "node_removed" || code === "done" ? `This node was removed ${formatDuration(now - ended.endedAt)} ago.`
        : code === "complete" ? "Complete: no more values come."
        : code === "slow" ? "The server ended this because values were not read fast enough."
        : `The server does not give this value: ${msg ?? code}`;
      this.#againButton.hidden = code === "complete";
      setText(this.#words, note);
    } else if (!isLive) {
      const ages = this.sources.filter(({ feed }) => feed.at).map(({ feed }) => [now - feed.at, feed.between]);
      const [age, between] = ages.sort((a, b) => a[0] - b[0])[0] ?? [0, 0];
      text = age > Math.max(3 * between, 5000) ? `⏱ ${formatAge(age).replace(" ago", " old")}` : "";
    } else {
      const folds = Math.max(1, ...this.sources.map(({ feed }) => feed.folds));
      if (folds >= 1.5) text = `1 of ${Math.round(folds)} updates`;
    }
    this.element.classList.toggle("stale", !isLive && text !== "");
    setText(this.#state, text);
    this.#noteText = note;
    this.#note.hidden = !note;
    if (isLive && !this.picture && !this.body.firstChild && this.sources.length) this.body.append(h("span", { class: "skeleton" }));
  }

  #again() { for (const { feed } of this.sources) if (feed.meta?.ended) { feed.meta = { ...feed.meta, ended: undefined }; feed.watch.again(); } this.#age(); }

  mark() { this.picture?.mark(); }

  close() {
    this.#ending.abort();
    this.picture?.close();
    for (const source of this.sources) source.close();
    this.element.remove();
  }
}

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
