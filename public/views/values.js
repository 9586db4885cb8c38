// All values of a graph as a table, with a field for what can be set: the plain way, also for
// screen readers. On a small screen it is a list, and a press on a row opens what sets its value.
import { graphPath, h, href, load, reorder, setAttribute, setText, severityMark } from "/lib/dom.js";
import { capital, formatAge, formatEntry, formatNumber, formatTime, plural, same } from "/lib/format.js";
import { kinds, raisedBy, severityWords, stageWords, staleWords } from "/lib/words.js";
import { nodeIcon } from "/lib/icons.js";
import { formatSource, formatState } from "/lib/state.js";
import { control } from "/lib/input.js";
import { inputFor } from "/ui/sensor.js";

/** The most rows on one page; only they are followed. */
const most = 200;

/** The tables, in the order on the page. */
const sections = [
  { of: "mutable", title: kinds.mutable, third: "Set", last: "Last set" },
  { of: "sensor", title: "sensors", third: "Trend", last: "Last report" },
  { of: "source", title: kinds.source, third: "Source", last: "Changed" },
  { of: "derived", title: kinds.derived, third: "Computed by", last: "Changed" },
];
const tableOf = ({ kind, role }) => (kind === "mutable" && role === "sensor" ? role : kind);

const note = (title, words) => h("div", { class: "notice" }, h("h1", {}, title), h("p", {}, words));

/** A node's definition without its present value. */
const shapeOf = ({ v, empty, fail, n, c, t, exists, ...rest }) => JSON.stringify(rest);

class Row {
  entry = null; at = 0; raised = "";
  #value = h("span", { class: "value" }, h("span", { class: "skeleton" }));
  #mark = h("span", { class: "row-mark" });
  #age = h("td", { class: "num small dim" }, "–");
  #input = null; #item; #node; #drawn = null; #sheet = null;

  constructor(context, node) {
    const { frame, store } = context, cell = h("td"), title = node.title || node.name;
    this.#node = node;
    this.#value.dataset.node = node.name;
    const isNarrow = store.get("narrow"), canSet = node.kind === "mutable" && !node.readOnly;
    // On a small screen a switch and a choice are in the row, the rest in a sheet.
    const isInline = node.role !== "sensor" && /switch|select/.test(control(node));
    const opens = isNarrow && canSet && !isInline;
    if (node.readOnly) {
      cell.append(h("span", { class: "made dim small" }, "read-only"));
    } else if (node.kind === "mutable" && !opens) {
      const { client, announce, route } = context;
      this.#input = inputFor({ client, announce, node, graph: route.params.graph, compact: isNarrow });
      cell.append(this.#input.element);
    } else if (node.kind === "source") {
      cell.append(h("code", { class: "made dim small", title: node.source.pick }, formatSource(node.source)));
    } else if (node.kind === "derived") {
      cell.append(h("span", { class: "made dim small" }, `${node.op} ${(node.inputs ?? []).join(", ")}`,
        node.label && [" → ", h("code", { title: node.label }, stageWords(node.label))]));
    }
    const head = opens ? h("button", { type: "button", class: "row-open", "aria-haspopup": "dialog",
      "aria-label": `Set ${title}`, onclick: () => this.#open(context) }, nodeIcon(node), title)
      : node.title ? h("span", { class: "row-title" }, nodeIcon(node), node.title) : nodeIcon(node);
    this.element = h("tr", { class: isNarrow && canSet && isInline && "inline", dataset: { row: node.name } },
      h("th", { scope: "row" }, head, (node.title || !opens) && h("code", {}, node.name)),
      h("td", {}, this.#value, this.#mark), cell, this.#age);
    this.#item = frame.item(this.element, () => this.#draw());
    // Without it a press does the same.
    if (isNarrow && canSet) load("/views/swipe.js").then(({ swipeable }) => swipeable(this.element), () => {});
  }

  async #open(context) {
    const { openSheet } = await load("/views/set-sheet.js");
    if (this.#sheet || context.signal.aborted) return;
    this.#sheet = openSheet(context, context.route.params.graph, this.#node);
    if (this.entry) this.#sheet.show(this.entry, this.at);
    await this.#sheet.closed;
    this.#sheet = null;
  }

  show(entry, t) {
    this.entry = entry;
    this.at = t;
    this.#item.mark();
    this.#input?.show(entry, t);
    this.#sheet?.show(entry, t);
  }

  /** The definition has changed; unsent input stays. */
  redefine(node) {
    this.#node = node;
    this.#input?.redefine(node);
    this.#drawn = null;
    this.#item.mark();
  }

  #draw() {
    if (!this.entry) return;
    this.#drawn = this.entry;
    const { empty, fail, gone } = this.entry, raised = raisedBy(this.#node, this.entry);
    setText(this.#value, gone ? "removed" : formatEntry(this.entry, this.#node.unit, this.#node.words));
    this.#value.className = `value${fail ? " fail" : empty || gone ? " empty" : ""}`;
    if (raised !== this.raised) {
      this.raised = raised;
      this.onraise?.();
      setAttribute(this.element, "data-severity", raised || null);
      this.#mark.replaceChildren(raised ? severityMark(raised, severityWords[raised]) : "");
    }
    this.#tell(Date.now());
  }

  /**
   * Called once a second: updates the age, and the value of a row that is not on screen, for users
   * who search the page.
   */
  tick(now, isPaused) {
    if (this.entry !== this.#drawn && !isPaused) this.#draw();
    else this.#tell(now);
  }

  /** The age of the value, in words; the time itself on hover. */
  #tell(now) {
    const { state } = this.entry ?? {}, { stale, ...rest } = state ?? {}, at = state?.t ?? this.at;
    const words = [formatState(rest),
      stale && staleWords(this.#node, at, now)].filter(Boolean).join(", ");
    setAttribute(this.#value, "data-facets", words || null);
    if (!this.at || this.entry?.empty) return setText(this.#age, "–");
    setText(this.#age, formatAge(now - this.at));
    setAttribute(this.#age, "title", formatTime(this.at, now));
  }

  close() {
    this.#item.close();
    this.#input?.close();
  }
}

export async function mount(element, context) {
  const view = new Values(element, context);
  element.classList.add("in-views");
  await context.style("/views/views.css");
  if (!context.signal.aborted) view.start();
  return view;
}

class Values {
  #element; #context; #graph;
  #rows = new Map(); #known = new Map(); #picture = null; #built = ""; #definition;
  #handle = null; #followed = ""; #isLoading = false; #isFirst = true; #left = 0; #page = 0; #hasEnded = false;
  #problem = h("p", { class: "notice bad", hidden: true });
  #find = h("input", { type: "search", placeholder: "Find a value", "aria-label": "Find a value", autocomplete: "off",
    spellcheck: "false", oninput: () => this.#turn(0) });
  #found = h("span", { class: "small dim num", role: "status" }, "");
  #back = h("button", { type: "button", class: "quiet", onclick: () => this.#turn(this.#page - 1) }, "Earlier");
  #on = h("button", { type: "button", class: "quiet", onclick: () => this.#turn(this.#page + 1) }, "Later");
  #tools = h("div", { class: "values-tools" }, this.#find, this.#found, this.#back, this.#on);

  constructor(element, context) {
    this.#element = element;
    this.#context = context;
    this.#graph = context.route.params.graph;
    context.title(`${this.#graph}, values`);
  }

  start() {
    const { store, frame, signal } = this.#context;
    let wasLive = false;
    store.listen("state", ({ name, restarted }) => {
      const live = name === "live";
      // Another history may come with another definition.
      if (live && (!wasLive && !this.#rows.size || restarted)) this.#load();
      wasLive = live;
    }, signal);
    store.listen("graphs", (graphs) => this.#noteDefinition(graphs), signal);
    store.listen("narrow", () => {
      if (!this.#built) return;
      this.#built = "";
      this.#show();
    }, signal);
    frame.tick(() => { const now = Date.now(); for (const row of this.#rows.values()) row.tick(now, frame.paused); },
      signal);
    if (this.#rows.size) return;
    this.#element.append(h("div", { class: "page" }, h("section", { class: "card" }, h("span", { class: "skeleton" }))));
    this.#load();
  }

  /** The list of graphs shows when the definition has changed. */
  #noteDefinition(graphs = []) {
    const definition = graphs.find(({ graph }) => graph === this.#graph)?.definition;
    if (this.#definition && definition && definition !== this.#definition) this.#load();
    this.#definition = definition ?? this.#definition;
  }

  async #load() {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      this.#picture = await this.#ask();
      if (!this.#hasEnded) this.#show();
    } catch (error) {
      if (this.#hasEnded) return;
      if (error.code) {
        this.#element.replaceChildren(note("There is no such graph",
          `${error.message}. It may have been removed, or not be yours to see.`));
      } else if (!this.#rows.size) {
        // Without an answer the banner says what is wrong; the table stays as it was.
        this.#element.replaceChildren(note("Not loaded",
          "The server does not answer. The table comes as soon as it does."));
      }
    } finally {
      this.#isLoading = false;
    }
  }

  async #ask() {
    const { client, signal } = this.#context;
    if (client.picture) return client.picture();
    const answer = await fetch(`/v1/graphs/${encodeURIComponent(this.#graph)}/graph?format=json`, { signal });
    const body = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(body.detail ?? body.title), { code: body.code });
    return body;
  }

  #turn(page) {
    this.#page = page;
    if (this.#picture) this.#show();
  }

  #show() {
    const named = this.#picture.nodes.filter(({ name }) => name), text = this.#find.value.trim().toLowerCase();
    if (!named.length && !this.#picture.families?.length) {
      return this.#element.replaceChildren(note("No values yet",
        "The definition of this graph has no nodes. They come here as soon as its file has some."));
    }
    const found = text ? named.filter(({ name, title = "" }) => `${name} ${title}`.toLowerCase().includes(text))
      : named;
    const ordered = sections.flatMap(({ of }) => found.filter((node) => tableOf(node) === of));
    const pages = Math.max(1, Math.ceil(ordered.length / most)),
      page = this.#page = Math.min(Math.max(0, this.#page), pages - 1);
    const shown = ordered.slice(page * most, (page + 1) * most);
    this.#build(shown);
    const range = shown.length
      ? `${formatNumber(page * most + 1)} to ${formatNumber(page * most + shown.length)} of ` : "";
    setText(this.#found, `${pages > 1 ? range : ""}${plural(ordered.length, "value")}`);
    this.#tools.hidden = named.length < 12;
    this.#back.hidden = this.#on.hidden = pages === 1;
    this.#back.disabled = page === 0;
    this.#on.disabled = page === pages - 1;
    this.#follow(named.length, shown.map(({ name }) => name));
  }

  /** Rows of nodes that are still of that kind stay, with unsent input. */
  #build(nodes) {
    const shapes = new Map(nodes.map((node) => [node.name, shapeOf(node)])), shape = [...shapes.values()].join();
    if (shape === this.#built) return;
    this.#built = shape;
    const before = this.#rows, focused = document.activeElement;
    this.#rows = new Map();
    const tables = sections.map((each) => this.#table(each, nodes.filter((node) => tableOf(node) === each.of), before, shapes))
      .filter(Boolean);
    const { client } = this.#context, isReadOnly = nodes.some(({ readOnly }) => readOnly);
    const about = client.picture ? "These are the values of one revision."
      : `${isReadOnly ? "You may see the values that are read-only, not set them: your token lacks the right. " : ""
        }This table listens to these nodes, so they are alive while it is open.`;
    const page = h("div", { class: "page" }, this.#tools, ...tables, this.#kin(),
      h("p", { class: "small dim" }, about));
    this.#element.replaceChildren(this.#problem, page);
    for (const row of before.values()) row.close();
    // A moved element has lost the focus.
    if (focused?.isConnected && this.#element.contains(focused)) focused.focus({ preventScroll: true });
  }

  #table({ title, third, last }, nodes, before, shapes) {
    if (!nodes.length) return null;
    const body = h("tbody"), rows = [], isNarrow = this.#context.store.get("narrow");
    // On a small screen those that call for attention come first.
    const order = () => isNarrow
      && reorder(body, rows.toSorted((a, b) => !a.raised - !b.raised).map(({ element }) => element));
    for (const node of nodes) {
      const kind = [node.kind, node.role, node.readOnly, isNarrow].join();
      const kept = before.get(node.name), isKept = kept?.kind === kind;
      const row = isKept ? kept : new Row(this.#context, node);
      if (isKept) {
        before.delete(node.name);
        if (row.shape !== shapes.get(node.name)) row.redefine(node);
      }
      Object.assign(row, { shape: shapes.get(node.name), kind, onraise: order });
      rows.push(row);
      // The picture's value is shown until the subscription answers.
      if (this.#known.has(node.name)) row.show(...this.#known.get(node.name));
      else if (node.n !== undefined) row.show(node, node.t);
      this.#rows.set(node.name, row);
      body.append(row.element);
    }
    order();
    const head = ["Node", "Value", third, last];
    return h("section", { class: "card" }, h("div", { class: "scroll" },
      h("table", { class: "values" }, h("caption", {}, capital(title)),
      h("thead", {}, h("tr", {}, head.map((label, i) => h("th", { scope: "col", class: i === 3 && "num" }, label)))),
        body)));
  }

  /** Members of families are listed in the graph view, page by page. */
  #kin() {
    const { families = [] } = this.#picture;
    return families.length > 0 && h("section", { class: "card" }, h("h2", {}, "Families"),
      h("p", {}, families.map(({ name, members }, i) =>
      [i ? ", " : "", h("a", { href: href(`${graphPath(this.#graph)}?node=${encodeURIComponent(name)}`) },
        h("code", {}, name)), ` with ${plural(members, "member")}`])));
  }

  /** Everything at once while it fits on a page, else what is on it. A glob opens no sources. */
  #follow(count, names) {
    const { client } = this.#context, hasSources = this.#picture.nodes.some(({ kind }) => kind === "source"),
      all = count <= most && !this.#picture.families?.length && !hasSources, nodes = all ? ["*"] : names;
    if (this.#followed === String(nodes)) return;
    this.#handle?.close();
    this.#followed = String(nodes);
    this.#isFirst = true;
    this.#handle = nodes.length ? client.watch({ graph: this.#graph, nodes }, null, (_, meta) => this.#hear(meta),
      { every: 100, facets: true }) : null;
  }

  #hear({ m, t, gap, more, ended: end }) {
    this.#left = more ?? this.#left;
    setText(this.#problem, end ? `The values cannot be followed: ${end.msg ?? end.code}.`
      : `${plural(this.#left, "more node")} not followed: the server allows no more at once.`);
    this.#problem.hidden = end ? end.code === "closed" : !this.#left;
    if (end) return;
    // A snapshot has the time of the graph's last change, not that of each node.
    const isAll = this.#isFirst || gap !== undefined;
    this.#isFirst = false;
    for (const [name, entry] of Object.entries(m)) {
      const row = this.#rows.get(name);
      const at = entry.same ? row?.at : isAll && (!row?.entry || same(row.entry.v, entry.v)) ? row?.at ?? 0 : t;
      this.#known.set(name, [entry, at]);
      if (row) row.show(entry, at);
      else this.#load();
    }
  }

  unmount() {
    this.#hasEnded = true;
    this.#handle?.close();
    for (const row of this.#rows.values()) row.close();
    this.#rows.clear();
  }
}
