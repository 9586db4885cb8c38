// The dashboard of a graph: the board, the frames of widgets, and widgets of words and figures. They listen, and so own what they show.
import { graphPath, h, href, icon, load, setText } from "/lib/dom.js";
import { formatAge, formatEntry, formatNumber } from "/lib/format.js";
import { Feeds, Observed } from "/dash/feeds.js";
import { read } from "/dash/layout.js";

let list, formatState;
/** The server's dashboards: `[{ name, title, graph }]`. */
const named = () => (list ??= fetch("/dashboards/").then((answer) => (answer.ok ? answer.json() : Promise.reject())).catch(() => (list = null, [])));

async function readFile(name) {
  if (!(await named()).some((each) => each.name === name)) throw new Error(`there is no dashboard named “${name}”`);
  return read(await (await fetch(`/dashboards/${encodeURIComponent(name)}.json`)).json());
}

class Board {
  widgets = []; layout = { v: 1, widgets: [] }; canEdit = true; cursor = new EventTarget(); named = named;
  element = h("div", { class: "dash" }); notice = h("div", { class: "card dash-notice", role: "status", hidden: true });
  #address = null; #editing = null;

  constructor(element, page) {
    const { client, header, keys, route, signal, store } = page;
    this.page = page;
    this.graph = route.params.graph;
    this.observed = new Observed(client, this.graph);
    this.feeds = new Feeds(client, this.graph, (name) => this.facts(name));
    store.listen("state", ({ name }) => this.feeds.connected(name === "live"), signal);
    this.addButton = h("button", { type: "button", onclick: () => this.edit((editing) => editing.add()) }, icon("M8 3v10M3 8h10"), "Add widget");
    const more = h("button", { type: "button", class: "quiet", "aria-haspopup": "menu", onclick: () => this.edit((editing) => editing.more(more)) }, "Dashboards ▾");
    header.append(more, this.addButton);
    element.append(this.notice, this.element);
    keys.bind("e", "Add a widget", () => this.canEdit && this.addButton.click(), { signal, group: "Dashboard" });
    this.#prepare(signal);
  }

  facts(name) { return this.observed.facts(name); }

  async show(route) {
    this.page.route = route;
    const w = route.query.get("w"), d = route.query.get("d"), address = w ?? (d === null ? "" : `d:${d}`);
    this.canEdit = route.query.get("kiosk") !== "1";
    if (address === this.#address) return;
    this.#address = address;
    const found = w === null ? this.#stored(d) : load("/dash/address.js").then(({ decode }) => decode(w));
    const { layout, problems } = await found.catch(({ message }) => ({ problems: [`This dashboard could not be read: ${message}.`] }));
    if (this.#address !== address || this.page.signal.aborted) return;
    this.say(problems);
    this.set(layout ?? { v: 1, widgets: [] });
  }

  async #stored(name) {
    const { saved } = this;
    name ??= (await named()).find((each) => (each.graph ?? each.name) === this.graph)?.name;
    return name === undefined ? this.composed() : name in saved ? read(saved[name]) : readFile(name);
  }

  get saved() {
    try { return { __proto__: null, ...JSON.parse(localStorage.getItem(`sluice.dash.${this.graph}`)) }; } catch { return { __proto__: null }; }
  }

  async composed() {
    await this.observed.known;
    return (await load("/dash/compose.js")).made(this);
  }

  set(layout) {
    const focused = document.activeElement?.closest(".widget")?.ariaLabel;
    for (const each of this.widgets) each.close();
    this.layout = layout;
    this.widgets = layout.widgets.map((data) => new Widget(data, this));
    this.element.replaceChildren(...this.widgets.map(({ element }) => element));
    this.page.title(layout.title ?? `${this.graph} dashboard`);
    this.arrange();
    if (focused) this.widgets.find(({ element }) => element.ariaLabel === focused)?.menuButton.focus();
  }

  /** In reading order, for Tab; what is in the hand is put in order when it is let go. */
  arrange() {
    const { children } = this.element, isHeld = this.element.querySelector(".held");
    this.widgets.toSorted(({ data: a }, { data: b }) => a.y - b.y || a.x - b.x).forEach(({ element, data }, i) => {
      element.style.gridColumn = `${data.x + 1} / span ${data.w}`;
      element.style.gridRow = `${data.y + 1} / span ${data.h}`;
      if (!isHeld && children[i] !== element && !element.contains(document.activeElement)) this.element.insertBefore(element, children[i] ?? null);
    });
    if (!this.widgets.length) load("/dash/compose.js").then(({ emptyBoard }) => this.widgets.length || this.element.replaceChildren(emptyBoard(this.addButton)), () => {});
  }

  say(lines) {
    this.notice.hidden = !lines.length;
    this.notice.replaceChildren(...lines.slice(0, 5).map((line) => h("p", {}, line)));
  }

  goTo(text) {
    this.#address = text;
    this.page.go(`${graphPath(this.graph, "dash")}?w=${text}${this.canEdit ? "" : "&kiosk=1"}`, { replace: true });
  }

  async edit(act) {
    const loading = new AbortController();
    // Letters pressed meanwhile are for what opens.
    addEventListener("keydown", (event) => {
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopImmediatePropagation();
    }, { capture: true, signal: loading.signal });
    const editing = await this.#load().catch(({ message }) => this.say([`Dashboards cannot be changed at the moment: ${message}.`]));
    loading.abort();
    if (editing && !this.page.signal.aborted) act(editing);
  }

  async #load() {
    const { Editing } = await load("/dash/editing.js");
    return (this.#editing ??= new Editing(this));
  }

  /** Widgets are moved by their heads. What does that comes when somebody is there. */
  #prepare(signal) {
    for (const name of ["pointermove", "focusin"]) addEventListener(name, () => this.canEdit && this.#load().catch(() => {}), { once: true, signal });
    this.element.addEventListener("pointerdown", (event) => {
      const handle = event.target.closest(".widget > header, .widget-resize");
      if (!handle || event.button || event.target.closest("button, a") || this.page.store.get("narrow") || !this.canEdit) return;
      event.preventDefault();
      this.edit((editing) => editing.moving.grab(event, handle));
    }, { signal });
  }

  close() {
    for (const each of this.widgets) each.close();
    this.feeds.close();
    this.observed.close();
  }
}

export async function mount(element, page) {
  if (!page.route.query.has("w")) named();
  await page.style("/dash/dash.css");
  if (page.signal.aborted) return;
  const board = new Board(element, page);
  board.show(page.route);
  return { update: (route) => board.show(route), unmount: () => board.close() };
}

/** `source`: which nodes a kind takes, one if nothing is said, "maybe" where text will do, "all" that globs mean, as they come and go; `most` of them; `past`: values it looks back on. */
export const kinds = {
  // Kinds come out of addresses.
  __proto__: null,
  number: { label: "Number" },
  sparkline: { label: "Sparkline", from: "gauges", past: 8192 },
  series: { label: "Time series", source: "several", past: 8192 },
  gauge: { label: "Gauge", from: "gauges" },
  lamp: { label: "State lamp" },
  editor: { label: "Editor", source: "mutable" },
  text: { label: "Text", source: "maybe" },
  table: { label: "Table", source: "all", from: "table" },
  log: { label: "Log", from: "log" },
  people: { label: "Who is here", source: "several", from: "people", most: 64 },
  clients: { label: "Client list", source: "none", from: "people" },
};

/** A picture has an `element` and `draw`, called after values, and each second if it `ages`; or `show` and `mark` for that. Maybe a `table` of its own, and `close`. */
export class Widget {
  sources = []; picture = null;
  #board; #kind; #item; #ending = new AbortController(); #left = 0; #note = null; #told;
  #heading = h("h2"); #state = h("span", { class: "widget-state small dim" });
  body = h("div", { class: "widget-body" });

  constructor(data, board) {
    this.data = data;
    this.#board = board;
    const kind = this.#kind = kinds[data.kind], { signal } = this.#ending;
    this.menuButton = h("button", { type: "button", class: "quiet only-icon widget-menu", "aria-haspopup": "menu", onclick: () => board.edit((editing) => editing.menu(this)) }, icon("M3 8h.01M8 8h.01M13 8h.01"));
    this.element = h("article", { class: "widget card", dataset: { kind: data.kind } },
      h("header", {}, this.#heading, this.#state, this.menuButton), this.body, h("span", { class: "widget-resize" }));
    this.#name();
    if (!kind) return this.#say(`A widget of the kind “${data.kind}”, which this page does not know.`);
    this.body.append(h("span", { class: "skeleton" }));
    board.page.frame.tick(() => this.#age(), signal);
    board.page.store.listen("state", () => this.#age(), signal);
    this.#start(signal);
  }

  get nodes() { return this.data.nodes ?? (this.data.node ? [this.data.node] : []); }

  get #what() { return this.#kind?.label ?? this.data.kind; }

  get title() {
    return this.data.title ?? (this.nodes.map((each) => this.#board.facts(each)?.title ?? each).join(", ") || this.#what);
  }

  #name() {
    const [node] = this.nodes, { title } = this, path = graphPath(this.#board.graph);
    this.element.ariaLabel = `${title}, ${this.#what}`;
    this.menuButton.ariaLabel = `Menu of ${title}`;
    this.#heading.replaceChildren(node && !/[*?]/.test(node) ? h("a", { href: href(`${path}?node=${encodeURIComponent(node)}`), title: `${node} in the graph` }, title) : title);
  }

  #say(words, tone = "dim") { this.body.replaceChildren(h("p", { class: tone }, words)); }

  async #start(signal) {
    const board = this.#board, { data } = this, { source, from = "page", past = 1024 } = this.#kind;
    await board.observed.known;
    if (signal.aborted) return;
    this.#name();
    const heard = (feed) => this.#heard(feed), isAll = source === "all" && this.nodes.length > 0, isMany = isAll || this.nodes.some((name) => /[*?]/.test(name));
    const group = isMany && await load("/dash/group.js").catch(() => null), names = isAll ? [] : await this.#names(group);
    if (signal.aborted) return;
    if (isMany && !group) return this.#say("This widget could not be loaded: the server does not answer.", "bad");
    if (!names.length && !isAll && !/maybe|none/.test(source)) return this.#say(this.nodes.length ? "No node has such a name." : "No node is chosen. Edit this widget to choose one.");
    this.sources = isAll ? [group.open({ client: board.page.client, graph: board.graph, nodes: this.nodes, observed: board.observed }, heard)] : names.map((name) => board.feeds.open(name, data.pipe, past, heard));
    let picture;
    try {
      const module = await load(`/dash/${from}.js`);
      if (signal.aborted) return;
      picture = await module[data.kind](data, {
        feeds: this.sources.map(({ feed }) => feed), page: board.page, graph: board.graph, now: board.feeds.now, cursor: board.cursor,
        facts: (name) => board.facts(name), unit: (name) => data.unit ?? (data.pipe ? "" : board.facts(name)?.unit ?? ""), title: this.title,
        observed: board.observed, signal, mark: () => this.mark(),
      });
    } catch (error) {
      return this.#say(`This kind of widget could not be loaded (${error.message}).`, "bad");
    }
    if (signal.aborted) return picture.close?.();
    this.picture = { show: () => this.mark(), ...picture };
    this.body.replaceChildren(picture.element);
    if (picture.draw) this.#item = board.page.frame.item(picture.element, picture.draw);
    this.picture.show();
    this.#age();
  }

  async #names(group) {
    const { observed, graph } = this.#board, { most = 6 } = this.#kind, names = group ? await group.namesOf(this.nodes, { observed, graph, most }) : [...new Set(this.nodes)];
    this.#left = Math.max(0, names.length - most);
    return names.slice(0, most);
  }

  #heard(feed) {
    const { ended, state } = feed.meta;
    this.picture?.show();
    if (ended || this.#note || state !== this.#told) this.#age();
    this.#told = state;
  }

  #age() {
    const { name, late } = this.#board.page.store.get("state"), feeds = this.sources.map(({ feed }) => feed);
    const ended = feeds.find(({ meta }) => meta?.ended), isTrue = name === "live" && !late && !feeds.some(({ meta, watch }) => meta && watch.stale);
    const shown = feeds[0]?.rows?.size ?? feeds.length, left = feeds[0]?.more ?? this.#left;
    let text = left ? `${shown} of ${shown + left} nodes` : "";
    if (ended || isTrue) {
      const folds = Math.max(...feeds.map(({ folds }) => folds));
      if (folds >= 1.5 && !ended) text = `1 of ${Math.round(folds)} updates`;
    } else {
      const [newest] = feeds.filter(({ at }) => at).sort((a, b) => b.at - a.at), age = Date.now() - newest?.at;
      if (age > Math.max(3 * newest?.between, 5000)) text = `⏱ ${formatAge(age).replace(" ago", " old")}`;
    }
    const state = feeds.map(({ meta }) => meta?.state).find((each) => each?.error || each?.loading || each?.stale);
    if (state && formatState) text = formatState(state);
    else if (state) load("/lib/state.js").then((module) => { ({ formatState } = module); this.#age(); }, () => {});
    this.element.classList.toggle("ended", !!ended);
    this.element.classList.toggle("stale", text.startsWith("⏱"));
    setText(this.#state, text);
    if (ended || this.#note) this.#tell(ended);
    if (this.picture?.ages) this.mark();
  }

  #tell(ended) {
    this.#note ??= load("/dash/ended.js").then(({ Note }) => {
      const note = new Note(this.sources, () => this.#age());
      this.body.after(note.element);
      return note;
    });
    this.#note.then((note) => note.show(ended), () => (this.#note = null));
  }

  mark() {
    this.#item?.mark();
    this.picture?.mark?.();
  }

  close() {
    this.#ending.abort();
    this.#item?.close();
    this.picture?.close?.();
    for (const source of this.sources) source.close();
    this.element.remove();
  }
}

const arrows = { rising: "↗", falling: "↘", steady: "→" };

function trend(ring, now) {
  const v = ring.at(now), before = ring.at(now - 60_000), from = before === before ? before : ring.length > 1 ? ring.value(0) : NaN;
  const by = (v - from) / Math.max(Math.abs(v), Math.abs(from), 1e-12);
  return by > 0.005 ? "rising" : by < -0.005 ? "falling" : by === by ? "steady" : "";
}

/** Who hears the page would get no rest. */
export const output = (name) => h("output", { class: `${name} value`, "aria-live": "off" });

export function setEntry(element, text, entry) {
  setText(element, text);
  element.classList.toggle("fail", !!entry?.fail);
  element.classList.toggle("empty", !!entry?.empty);
}

export const number = (widget, { feeds: [feed], now, unit }) => {
  const figure = output("figure num"), measure = h("span", { class: "figure-unit" }), way = h("span", { class: "trend dim small" }), of = unit(feed.node), isBytes = /^B(\/s)?$/.test(of);
  return {
    element: h("div", { class: "number" }, h("div", {}, figure, measure), way),
    draw() {
      const { entry } = feed, isFigure = /number|bigint/.test(typeof entry?.v), isPlain = isFigure && !isBytes, word = isFigure ? trend(feed.ring, now()) : "";
      setEntry(figure, isPlain ? formatNumber(entry.v, 5) : formatEntry(entry, isBytes ? of : ""), entry);
      setText(measure, isPlain ? of : "");
      setText(way, word && `${arrows[word]} ${word}`);
    },
  };
};

function tone(entry, { ok, bad }) {
  if (!entry || entry.empty) return ["off", "empty"];
  if (entry.fail) return ["bad", formatEntry(entry)];
  const { v } = entry, is = (wanted) => wanted !== undefined && String(wanted) === String(v);
  const isOn = bad === undefined && ok === undefined && v !== false && v !== null && v !== 0;
  return [is(bad) ? "bad" : is(ok) ? "ok" : isOn ? "on" : "off", v === true ? "on" : v === false ? "off" : formatEntry(entry)];
}

export const lamp = (widget, { feeds: [feed] }) => {
  const word = output(""), element = h("div", { class: "lamp" }, h("i", { "aria-hidden": "true" }), word);
  return {
    element,
    draw() {
      const [name, text] = tone(feed.entry, widget);
      element.dataset.tone = name;
      setText(word, text);
    },
  };
};

export const text = (widget, { feeds: [feed], unit }) => {
  if (!feed) return { element: h("div", { class: "text" }, h("p", { class: "words" }, widget.text)) };
  const body = output("words");
  return {
    element: h("div", { class: "text" }, body),
    draw() {
      const { entry } = feed, isDeep = !!entry?.v && typeof entry.v === "object";
      setEntry(body, isDeep ? JSON.stringify(entry.v, (_, v) => (typeof v === "bigint" ? JSON.rawJSON(v) : v), 1).slice(0, 20_000) : formatEntry(entry, unit(feed.node)), entry);
      body.classList.toggle("deep", isDeep);
    },
  };
};

export const editor = async (widget, { feeds: [feed], page, graph, facts }) => {
  const node = facts(feed.node) ?? { name: feed.node, kind: "mutable", type: "any" };
  if (node.kind !== "mutable") return { element: h("p", { class: "dim" }, "This node is derived from others and cannot be set.") };
  const { valueEditor } = await load("/ui/value-editor.js");
  const { element, show, close } = valueEditor({ client: page.client, graph, node: { ...node, slider: widget.slider }, announce: page.announce, compact: true });
  return { element, show: () => feed.entry && show(feed.entry), close };
};

export const series = async (widget, { feeds, page, cursor, now, title, unit, facts }) => {
  const { TimeChart } = await load("/chart/chart.js");
  const chart = new TimeChart({
    series: feeds.map(({ node, ring }) => ({ name: facts(node)?.title ?? node, unit: unit(node), ring })),
    span: (widget.span ?? 300) * 1000, min: widget.min, max: widget.max, cursor, page, now, title,
  });
  return { element: chart.element, show: () => chart.grow(), mark: () => chart.mark(), close: () => chart.close() };
};
