// The dashboard of a graph. Widgets listen, and so own what they show; the layout is in the address.
import { h, icon, load } from "/lib/dom.js";
import { graphPath } from "/lib/page.js";
import { read } from "/dash/layout.js";
import { Feeds, Observed, Widget } from "/dash/widget.js";

let list;
/** The server's dashboards: `[{ name, title, graph }]`. */
function named() {
  list ??= fetch("/dashboards/").then((answer) => (answer.ok ? answer.json() : []))
    .then((all) => (Array.isArray(all) ? all : all.dashboards ?? []), () => { list = undefined; return []; });
  return list;
}

async function readFile(name) {
  try {
    if (!(await named()).some((each) => each.name === name)) throw new Error(`there is no dashboard named “${name}”`);
    const answer = await fetch(`/dashboards/${encodeURIComponent(name)}.json`);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return read(await answer.json());
  } catch (error) {
    return { problems: [`This dashboard could not be read: ${error.message}.`] };
  }
}

class Board {
  widgets = [];
  layout = null;
  canEdit = true;
  shared = {};
  #address = null; #editing = null; #adder;

  constructor(element, page) {
    const { signal } = page;
    this.page = page;
    this.graph = page.route.params.graph;
    this.observed = new Observed(page.client, this.graph);
    this.feeds = new Feeds(page.client, this.graph, (name) => this.facts(name));
    this.notice = h("div", { class: "dash-notice", role: "status", hidden: true });
    this.element = h("div", { class: "dash" });
    element.append(this.notice, this.element);
    page.store.listen("state", ({ name }) => this.feeds.connected(name === "live"), signal);
    const add = () => this.edit((editing) => editing.add());
    this.#adder = (attributes, ...words) => h("button", { type: "button", onclick: add, ...attributes }, words);
    this.addButton = this.#adder({}, icon("M8 3v10M3 8h10"), "Add widget");
    const more = h("button", { type: "button", class: "quiet", "aria-haspopup": "menu", onclick: () => this.edit((editing) => editing.more(more)) }, "Dashboards ▾");
    page.header.append(more, this.addButton);
    this.observed.addEventListener("change", () => this.show(this.page.route), { once: true, signal });
    page.keys.bind("e", "Add a widget", add, { signal, group: "Dashboard" });
    this.#prepare(element, signal);
  }

  facts(name) { return this.observed.nodes?.get(name); }
  get isNarrow() { return this.page.store.get("narrow"); }

  async show(route) {
    this.page.route = route;
    const w = route.query.get("w"), d = route.query.get("d"), address = w ?? (d === null ? "" : `d:${d}`);
    this.canEdit = route.query.get("kiosk") !== "1";
    document.documentElement.toggleAttribute("data-kiosk", !this.canEdit);
    if (!this.observed.nodes || address === this.#address) return;
    this.#address = address;
    const { layout, problems } = w !== null ? (await load("/dash/address.js")).decode(w) : await this.#stored(d);
    if (this.#address !== address || this.page.signal.aborted) return;
    this.say(problems);
    this.set(layout ?? { v: 1, widgets: [] });
  }

  async #stored(name) {
    const { saved } = this;
    name ??= "" in saved ? "" : (await named()).find((each) => (each.graph ?? each.name) === this.graph)?.name ?? null;
    return name === null ? this.composed() : name in saved ? read(saved[name]) : readFile(name);
  }

  get saved() {
    try { return Object.assign(Object.create(null), JSON.parse(localStorage.getItem(`sluice.dash.${this.graph}`))); } catch { return Object.create(null); }
  }

  /** Made from the graph's nodes; what sleeps is asked for once. */
  async composed() {
    const { client } = this.page, nodes = [...this.observed.nodes.values()], asleep = nodes.filter((each) => each.kind !== "mutable" && !("v" in each)).map(({ name }) => name);
    const [{ compose }, { m }] = await Promise.all([load("/dash/compose.js"), client.get(this.graph, asleep).catch(() => ({ m: {} }))]);
    return { layout: compose(nodes.map((each) => ({ ...each, ...m[each.name] }))), problems: ["Made from the nodes of this graph. Change it as you like; Dashboards ▾ saves it."] };
  }

  named = named;

  set(layout) {
    const focused = document.activeElement?.closest?.(".widget")?.getAttribute("aria-label");
    for (const each of this.widgets) each.close();
    this.layout = layout;
    this.widgets = layout.widgets.map((data) => new Widget(data, this));
    this.element.replaceChildren(...this.widgets.map(({ element }) => element));
    this.page.title(layout.title ?? `${this.graph} dashboard`);
    this.arrange();
    if (focused) this.element.querySelector(`.widget[aria-label="${CSS.escape(focused)}"] .widget-menu`)?.focus();
  }

  /** In reading order, so that Tab goes from top to bottom. */
  arrange() {
    const widgets = [...this.widgets].sort((a, b) => a.data.y - b.data.y || a.data.x - b.data.x);
    widgets.forEach(({ element, data }, i) => {
      element.style.gridColumn = `${data.x + 1} / span ${data.w}`;
      element.style.gridRow = `${data.y + 1} / span ${data.h}`;
      if (this.element.children[i] !== element && !element.contains(document.activeElement)) this.element.insertBefore(element, this.element.children[i] ?? null);
    });
    if (!widgets.length) this.element.replaceChildren(this.#empty());
  }

  #empty() {
    return h("div", { class: "notice" }, h("h1", {}, "An empty dashboard"), h("p", {}, "Widgets show nodes of this graph and listen to them: what they show is kept alive by this page."),
      this.#adder({ class: "primary" }, "Add a widget"));
  }

  say(lines) {
    this.notice.hidden = !lines.length;
    this.notice.replaceChildren(...lines.slice(0, 5).map((line) => h("p", {}, line)));
  }

  /** The address says how the layout was changed. */
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
    let editing;
    try {
      editing = await this.#load();
    } catch (error) {
      return this.say([`Dashboards cannot be changed at the moment: ${error.message}.`]);
    } finally {
      loading.abort();
    }
    act(editing);
  }

  #load() {
    return (this.#editing ??= load("/dash/editing.js").then(({ Editing }) => new Editing(this), (error) => { this.#editing = null; throw error; }));
  }

  /** Comes when a pointer or the focus is near. Widgets are moved by their heads. */
  #prepare(element, signal) {
    const near = ({ target }) => target.closest(".widget > header, .widget-resize, .slot") && this.#load().catch(() => {});
    for (const name of ["pointerover", "focusin"]) {
      for (const each of [element, this.page.header]) each.addEventListener(name, near, { signal });
    }
    this.element.addEventListener("pointerdown", (event) => {
      const handle = event.target.closest(".widget > header, .widget-resize");
      if (!handle || event.button || event.target.closest("button, a") || this.isNarrow || !this.canEdit) return;
      event.preventDefault();
      this.edit((editing) => editing.moving.grab(event, handle));
    }, { signal });
  }

  close() {
    for (const each of this.widgets) each.close();
    this.feeds.close();
    this.observed.close();
    document.documentElement.removeAttribute("data-kiosk");
  }
}

export async function mount(element, page) {
  // While the graph's facts are on their way.
  if (!page.route.query.has("w")) named();
  await page.style("/dash/dash.css");
  const board = new Board(element, page);
  board.show(page.route);
  return { update: (route) => board.show(route), unmount: () => board.close() };
}
