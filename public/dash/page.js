// The dashboard of a graph. Widgets listen, and so own what they show; the layout is in the address.
import { h, icon, load } from "/lib/dom.js";
import { graphPath } from "/lib/page.js";
import { Feeds, Observed } from "/dash/feeds.js";
import { read } from "/dash/layout.js";
import { Widget } from "/dash/widget.js";

let list;
/** The server's dashboards: `[{ name, title, graph }]`. */
const named = () => (list ??= fetch("/dashboards/").then((answer) => (answer.ok ? answer.json() : Promise.reject())).catch(() => (list = null, [])));

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
  widgets = []; layout = null; canEdit = true; shared = {}; named = named;
  element = h("div", { class: "dash" }); notice = h("div", { class: "dash-notice", role: "status", hidden: true });
  #address = null; #editing = null;

  constructor(element, page) {
    const { client, header, keys, route, signal, store } = page;
    this.page = page;
    this.graph = route.params.graph;
    this.observed = new Observed(client, this.graph);
    this.feeds = new Feeds(client, this.graph, (name) => this.facts(name));
    store.listen("state", ({ name }) => this.feeds.connected(name === "live"), signal);
    this.addButton = h("button", { type: "button", onclick: () => this.edit((editing) => editing.add()) }, icon("M3 8v10M3 8h10"), "Add widget");
    const more = h("button", { type: "button", class: "quiet", "aria-haspopup": "menu", onclick: () => this.edit((editing) => editing.more(more)) }, "Dashboards ▾");
    header.append(more, this.addButton);
    element.append(this.notice, this.element);
    keys.bind("e", "Add a widget", () => this.canEdit && this.addButton.click(), { signal, group: "Dashboard" });
    this.#prepare(element, signal);
  }

  facts(name) { return this.observed.nodes?.get(name); }

  async show(route) {
    this.page.route = route;
    const w = route.query.get("w"), d = route.query.get("d"), address = w ?? (d === null ? "" : `d:${d}`);
    this.canEdit = route.query.get("kiosk") !== "1";
    if (address === this.#address) return;
    this.#address = address;
    const { layout, problems } = w !== null ? (await load("/dash/address.js")).decode(w) : await this.#stored(d);
    if (this.#address !== address || this.page.signal.aborted) return;
    this.say(problems);
    this.set(layout ?? { v: 1, widgets: [] });
  }

  async #stored(name) {
    const { saved } = this;
    name ??= (await named()).find((each) => (each.graph ?? each.name) === this.graph)?.name;
    return name === undefined ? this.composed() : name in saved ? read(saved[name]) : readFile(name);
  }

  /** By their names, what this browser keeps. */
  get saved() {
    const none = Object.create(null);
    try { return Object.assign(none, JSON.parse(localStorage.getItem(`sluice.dash.${this.graph}`))); } catch { return none; }
  }

  /** Made from the graph's nodes. */
  async composed() {
    await this.observed.known;
    return (await load("/dash/compose.js")).made(this);
  }

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

  /** In reading order, so that Tab goes from top to bottom; what is in the hand is put in order when it is let go. */
  arrange() {
    const { children } = this.element, isHeld = this.element.querySelector(".held");
    this.widgets.toSorted(({ data: a }, { data: b }) => a.y - b.y || a.x - b.x).forEach(({ element, data }, i) => {
      element.style.gridColumn = `${data.x + 1} / span ${data.w}`;
      element.style.gridRow = `${data.y + 1} / span ${data.h}`;
      if (!isHeld && children[i] !== element && !element.contains(document.activeElement)) this.element.insertBefore(element, children[i] ?? null);
    });
    if (!this.widgets.length) load("/dash/compose.js").then(({ emptyBoard }) => this.element.replaceChildren(emptyBoard(this.addButton)));
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

  /** Does what `/dash/editing.js` can. */
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
    if (!this.page.signal.aborted) act(editing);
  }

  async #load() {
    const { Editing } = await load("/dash/editing.js");
    return (this.#editing ??= new Editing(this));
  }

  /** Comes when a pointer or the focus is near. Widgets are moved by their heads. */
  #prepare(element, signal) {
    const near = ({ target }) => target.closest(".widget > header, .widget-resize, .slot") && this.#load().catch(() => {});
    for (const name of ["pointerover", "focusin"]) {
      for (const each of [element, this.page.header]) each.addEventListener(name, near, { signal });
    }
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
  // While the graph's facts are on their way.
  if (!page.route.query.has("w")) named();
  await page.style("/dash/dash.css");
  if (page.signal.aborted) return;
  const board = new Board(element, page);
  board.show(page.route);
  return { update: (route) => board.show(route), unmount: () => board.close() };
}
