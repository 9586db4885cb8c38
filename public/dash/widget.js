// The frame of a widget.
import { h, icon, setText } from "/lib/dom.js";
import { formatAge, formatDuration } from "/lib/format.js";
import { graphPath, href } from "/lib/router.js";

const figures = () => import("/dash/figures.js"), gauges = () => import("/dash/gauges.js"), lists = () => import("/dash/lists.js"), people = () => import("/dash/people.js");

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
