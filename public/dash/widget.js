// The frame of a widget: title, where its values come from, how they are, a menu; and inside what its kind shows.
import { h, icon, setText } from "/lib/dom.js";
import { formatAge, formatDuration } from "/lib/format.js";
import { graphPath, href } from "/lib/router.js";
import { kinds } from "/dash/kinds.js";

const dots = "M3 8h.01M8 8h.01M13 8h.01";

export class Widget {
  #board; #sources = []; #body; #state; #note; #kind = null; #ending = new AbortController(); #tableShown = false; #noteText = "";

  /** `data`: the widget as the layout has it; `board`: the dashboard it is on. */
  constructor(data, board) {
    this.data = data;
    this.#board = board;
    const kind = kinds[data.kind];
    this.#state = h("span", { class: "widget-state small dim" });
    this.#note = h("div", { class: "widget-note small", hidden: true });
    this.#body = h("div", { class: "widget-body" });
    this.menuButton = h("button", { type: "button", class: "quiet only-icon widget-menu", "aria-label": `Menu of ${this.title}`, "aria-haspopup": "menu", onclick: () => this.#menu() }, icon(dots));
    this.element = h("article", { class: "widget card", dataset: { kind: data.kind }, "aria-label": `${this.title}, ${kind?.label ?? data.kind}` },
      h("header", {}, h("h2", {}, this.#heading()), this.#state, this.menuButton), this.#body, this.#note);
    if (!kind) {
      this.#body.append(h("p", { class: "dim" }, `A widget of the kind “${data.kind}”, which this page does not know.`));
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
    const { board, data } = { board: this.#board, data: this.data }, names = this.#names();
    if (!names.length && ["one", "several", "mutable"].includes(kind.source)) {
      this.#body.append(h("p", { class: "dim" }, "No node is chosen. Edit this widget to choose one."));
      return;
    }
    this.#sources = names.map((name) => board.feeds.open(name, data.pipe, (feed) => this.#heard(feed)));
    let module;
    try {
      module = await kind.load();
    } catch (error) {
      this.#body.append(h("p", { class: "bad" }, `This kind of widget could not be loaded (${error.message}).`));
      return;
    }
    if (this.#ending.signal.aborted) return;
    this.#kind = module[data.kind](data, {
      feeds: this.#sources.map(({ feed }) => feed), page: board.page, graph: board.graph, now: board.feeds.now, cursor: board.cursor,
      facts: (name) => board.facts(name), unit: (name) => data.unit ?? (data.pipe ? "" : board.facts(name)?.unit ?? ""), title: this.title,
      observed: board.observed, signal: this.#ending.signal,
    });
    this.#body.replaceChildren(this.#kind.element);
    this.#kind.mark();
    this.#age();
  }

  /** Names, with patterns as the nodes that they match. */
  #names() {
    const all = this.nodes.flatMap((name) => {
      if (!/[*?]/.test(name)) return [name];
      const pattern = new RegExp(`^${name.replace(/[.-]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")}$`);
      return [...(this.#board.observed.nodes?.keys() ?? [])].filter((each) => pattern.test(each));
    });
    return [...new Set(all)].slice(0, this.data.kind === "table" ? 200 : 6);
  }

  #heard(feed) {
    this.#kind?.show(feed);
    if (feed.meta.ended || this.#noteText) this.#age();
  }

  /** How the values are: released, stale, folded; said once a second at most. */
  #age() {
    const state = this.#board.page.store.get("state"), isLive = state.name === "live", now = Date.now();
    const ended = this.#sources.map(({ feed }) => feed).find(({ meta }) => meta?.ended);
    this.element.classList.toggle("ended", !!ended);
    let text = "", note = "";
    if (ended) {
      const { code, msg } = ended.meta.ended;
      note = code === "node_removed" || code === "done" ? `This node was removed ${formatDuration(now - ended.endedAt)} ago.`
        : code === "complete" ? "Complete: no more values come."
        : code === "slow" ? "The server ended this because values were not read fast enough."
        : `The server does not give this value: ${msg ?? code}`;
      if (note !== this.#noteText) {
        this.#note.replaceChildren(note, " ", code === "complete" ? "" : h("button", { type: "button", class: "link", onclick: () => this.#again() }, "Watch it again"));
      }
    } else if (!isLive) {
      const ages = this.#sources.filter(({ feed }) => feed.at).map(({ feed }) => [now - feed.at, feed.between]);
      const [age, between] = ages.sort((a, b) => a[0] - b[0])[0] ?? [0, 0];
      text = age > Math.max(3 * between, 5000) ? `⏱ ${formatAge(age).replace(" ago", " old")}` : "";
    } else {
      const folds = Math.max(1, ...this.#sources.map(({ feed }) => feed.folds));
      if (folds >= 1.5) text = `1 of ${Math.round(folds)} updates`;
    }
    this.element.classList.toggle("stale", !isLive && text !== "");
    setText(this.#state, text);
    this.#noteText = note;
    this.#note.hidden = !note;
    if (isLive && !this.#kind && !this.#body.firstChild && this.#sources.length) this.#body.append(h("span", { class: "skeleton" }));
  }

  #again() { for (const { feed } of this.#sources) if (feed.meta?.ended) { feed.meta = { ...feed.meta, ended: undefined }; feed.watch.again(); } this.#age(); }

  // Menu

  #menu() {
    const board = this.#board, table = this.#kind?.table?.() ?? this.#simpleTable();
    board.page.dialogs.menu(this.menuButton, [
      { label: "Edit…", action: () => board.edit(this), disabled: !kinds[this.data.kind] },
      { label: "Move or resize", action: () => board.grid.hold(this) },
      { label: "Duplicate", action: () => board.duplicate(this) },
      { label: document.fullscreenElement ? "Leave full screen" : "Full screen", action: () => (document.fullscreenElement ? document.exitFullscreen() : this.element.requestFullscreen?.()) },
      { label: this.#tableShown ? "Show as picture" : "Show as table", action: () => this.#toggleTable(), disabled: !table },
      { label: "Copy as JSON", action: () => this.#copy(JSON.stringify(objects(table), spell, 1), "JSON"), disabled: !table },
      { label: "Copy as CSV", action: () => this.#copy(csv(table), "CSV"), disabled: !table },
      { label: "Remove", action: () => board.remove(this) },
    ]);
  }

  #simpleTable() {
    const [source] = this.#sources;
    return source && { head: ["node", "value"], rows: [[source.feed.node, source.feed.entry?.v ?? null]] };
  }

  #toggleTable() {
    this.#tableShown = !this.#tableShown;
    if (!this.#tableShown) return this.#body.replaceChildren(this.#kind.element);
    const { head, rows } = this.#kind?.table?.() ?? this.#simpleTable();
    this.#body.replaceChildren(h("div", { class: "scroll fill", tabindex: 0, role: "group", "aria-label": "As a table" }, h("table", { class: "tight" },
      h("thead", {}, h("tr", {}, head.map((each) => h("th", {}, each)))),
      h("tbody", {}, rows.slice(0, 500).map((row) => h("tr", {}, row.map((each) => h("td", { class: "num mono" }, typeof each === "object" ? JSON.stringify(each, spell) : String(each)))))))));
  }

  async #copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
      this.#board.page.announce(`Copied as ${what}`);
    } catch {
      // A page that is not served securely may not copy; the text can still be taken by hand.
      this.#board.page.dialogs.open({ title: `${this.title} as ${what}`, body: h("textarea", { rows: 12, readonly: true }, text) });
    }
  }

  mark() { this.#kind?.mark(); }

  close() {
    this.#ending.abort();
    this.#kind?.close();
    for (const source of this.#sources) source.close();
    this.element.remove();
  }
}

const spell = (_, v) => (typeof v === "bigint" ? v.toString() : v);
const objects = ({ head, rows }) => rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
// A field that begins like a formula would be run by spreadsheets; it gets a quote in front.
const field = (each) => {
  let text = typeof each === "object" ? JSON.stringify(each, spell) : String(each);
  if (typeof each === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = ({ head, rows }) => [head, ...rows].map((row) => row.map(field).join(",")).join("\r\n");
