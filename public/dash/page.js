// The dashboard of a graph: the board, what it shows, and whether it is looked at, edited or hung
// on a wall.
import { graphPath, h, icon, load, reorder, setText } from "/lib/dom.js";
import { Feeds, Observed } from "/dash/feeds.js";
import { isWide } from "/dash/layout.js";
import * as saved from "/dash/saved.js";
import { Widget } from "/dash/widget.js";

const empty = { v: 1, widgets: [] };
/** How often (s) an open dashboard checks for a newer saved version. */
const followed = 15;
const loudness = { warn: 1, bad: 2, alarm: 2 };

class Board {
  widgets = []; layout = empty; cursor = new EventTarget();
  canEdit = true; isEditing = false; isKiosk = false; isTouch = false;
  /** The server's dashboard that is shown: `{ name, etag }`; null for one that is not saved. */
  saved = null;
  connection = {};
  heading = h("h1", { class: "unseen", hidden: true });
  element = h("div", { class: "dash" }, h("span", { class: "skeleton" }));
  notice = h("div", { class: "card dash-notice", role: "status", hidden: true });
  #address = null; #editing = null; #foot = null; #isMade = false; #sources = new Map(); #ticks = 0;
  #touch = null;

  constructor(element, page) {
    const { frame, header, keys, route, signal, store } = page;
    this.page = page;
    this.graph = route.params.graph;
    this.source();
    this.observed.addEventListener("redefined", ({ detail }) => this.#redefined(detail));
    store.listen("state", (state) => this.#connected(state), signal);
    const act = (label, run, attributes) =>
      h("button", { type: "button", onclick: () => this.edit(run), ...attributes }, label);
    this.addButton = act([icon("M8 3v10M3 8h10"), "Add widget"], (editing) => editing.add());
    this.saveButton = act("Save", (editing) => editing.save(), { class: "primary" });
    const opens = { class: "quiet", "aria-haspopup": "menu" }, press = () => this.switchEditing();
    this.moreButton = act("Dashboards ▾", (editing) => editing.more(this.moreButton), opens);
    this.editButton = h("button", { type: "button", "aria-pressed": "false", onclick: press }, "Edit");
    this.saveNote = h("p", { class: "card save-note", role: "status", hidden: true });
    header.append(this.addButton, this.saveButton, this.moreButton, this.editButton);
    element.append(this.heading, this.saveNote, this.notice, this.element);
    const bind = (key, label, run) =>
      keys.bind(key, label, () => this.canEdit && run(), { signal, group: "Dashboard" });
    bind("e", "Edit the dashboard, or look at it", () => this.switchEditing());
    bind("a", "Add a widget", () => this.edit((editing) => editing.add()));
    bind("u", "Undo the last change", () => this.isEditing && this.edit((editing) => editing.undo()));
    frame.tick(() => this.#follow(), signal);
    addEventListener("resize", () => this.fit(), { signal });
    store.listen("narrow", () => this.sort(), signal);
    this.#prepare(signal);
  }

  /** A graph as widgets see it: its own unless another one is named. */
  source(graph = this.graph) {
    let found = this.#sources.get(graph);
    if (!found) {
      const { client } = this.page, observed = new Observed(client, graph), facts = (name) => observed.facts(name);
      const feeds = new Feeds(client, graph, facts);
      this.#sources.set(graph, (found = { graph, observed, feeds, facts }));
      if (this.connection.name) feeds.connected(this.connection.name === "live");
    }
    return found;
  }

  get observed() { return this.source().observed; }

  #connected(state) {
    const isLive = state.name === "live";
    this.connection = { ...state, lost: isLive ? undefined : this.connection.lost ?? Date.now() };
    for (const { feeds } of this.#sources.values()) feeds.connected(isLive);
  }

  async show(route) {
    this.page.route = route;
    const { query } = route, [w, d, kiosk] = ["w", "d", "kiosk"].map((key) => query.get(key));
    const isKiosk = /^(1|touch)$/.test(kiosk);
    this.canEdit = !isKiosk;
    this.isKiosk = isKiosk && document.documentElement.hasAttribute("data-kiosk");
    this.isTouch = this.isKiosk && kiosk === "touch";
    this.#mode(this.canEdit && query.get("edit") === "1");
    const address = JSON.stringify([w, d, isKiosk && kiosk]);
    if (address === this.#address) return;
    this.#address = address;
    const found = w === null ? this.#stored(d) : load("/dash/address.js").then(({ decode }) => decode(w));
    const { layout, problems, name, etag, foot } = await found.catch(({ message }) =>
      ({ problems: [`This dashboard could not be read: ${message}.`] }));
    if (this.#address !== address || this.page.signal.aborted) return;
    this.#isMade = w === null && !name;
    this.saved = name ? { name, etag } : w !== null && d !== null ? { name: d, etag: query.get("t") } : null;
    this.say(problems);
    this.set(layout ?? empty, foot);
    this.#editing?.restart();
  }

  /**
   * The server's dashboard of that name, or the first of this graph, or else one made of its nodes.
   */
  async #stored(name) {
    name ??= (await saved.list()).dashboards.find(({ graph }) => graph === this.graph)?.name;
    return name === undefined ? this.composed() : { ...await saved.open(name), name };
  }

  async composed() {
    await this.observed.known;
    return (await load("/dash/compose.js")).made(this);
  }

  /** A board that was made from the graph is made again, another one gets its widgets anew. */
  async #redefined(names) {
    const { nodes } = this.observed, address = this.#address, isOther = (name) => nodes.has(name) && names.includes(name);
    if (this.isEditing || !(this.#isMade || this.widgets.some((each) => each.nodes.some(isOther)))) return;
    const { layout, foot } = this.#isMade ? await this.composed() : { layout: this.layout, foot: this.#foot };
    if (this.#address !== address || this.isEditing || this.page.signal.aborted) return;
    this.set(layout, foot);
    this.#editing?.restart();
  }

  /** Shows versions saved by others, but not while the user is editing. */
  async #follow() {
    const isPast = !this.canEdit && !this.isKiosk;
    if (++this.#ticks % followed || !this.saved || this.isEditing || isPast || this.connection.name !== "live") return;
    const address = this.#address, { name, etag } = this.saved;
    if (this.page.route.query.has("w")) return;
    const next = await saved.open(name, etag).catch(() => null);
    if (!next?.layout || this.#address !== address || this.isEditing || this.page.signal.aborted) return;
    this.saved = { name, etag: next.etag };
    this.set(next.layout);
    this.#editing?.restart();
    this.page.announce("This dashboard was changed by somebody else");
  }

  set(layout, foot) {
    this.#foot?.remove();
    this.#foot = foot;
    if (foot) this.element.after(foot);
    const focused = document.activeElement?.closest(".widget")?.ariaLabel;
    for (const each of this.widgets) each.close();
    this.layout = layout;
    this.widgets = layout.widgets.map((data) => new Widget(data, this));
    this.element.replaceChildren(...this.widgets.map(({ element }) => element));
    const title = layout.title ?? `${this.graph} dashboard`;
    this.page.title(title);
    // The bar of the graph has the heading, but not on a wall.
    setText(this.heading, title);
    this.heading.hidden = !this.isKiosk;
    this.arrange();
    if (focused) this.widgets.find(({ element }) => element.ariaLabel === focused)?.menuButton.focus();
  }

  arrange() {
    for (const { element, data } of this.widgets) {
      element.style.gridColumn = `${data.x + 1} / span ${data.w}`;
      element.style.gridRow = `${data.y + 1} / span ${data.h}`;
    }
    this.sort();
    this.fit();
    this.#dress();
    if (this.widgets.length) return;
    load("/dash/compose.js").then(({ emptyBoard }) => {
      if (!this.widgets.length) this.element.replaceChildren(emptyBoard(this));
    }, () => {});
  }

  /**
   * The order that is seen is that of Tab and of screen readers; on a small screen it begins with
   * what calls for attention. A dragged widget gets its place when it is released.
   */
  sort() {
    const rank = ({ element }) => (this.page.store.get("narrow") ? loudness[element.dataset.loud] ?? 0 : 0);
    const sorted = this.widgets.toSorted((one, other) => {
      const { data: a } = one, { data: b } = other;
      return rank(other) - rank(one) || a.y - b.y || a.x - b.x;
    });
    // On a small screen a small one without a neighbour takes both columns.
    let alone = null;
    for (const { element, data } of sorted) {
      const wide = isWide(data);
      element.toggleAttribute("data-wide", wide);
      if (wide) alone?.toggleAttribute("data-wide", true);
      alone = wide || alone ? null : element;
    }
    if (!this.element.querySelector(".held")) reorder(this.element, sorted.map(({ element }) => element));
  }

  /** On a wall the board fills the screen. */
  async fit() {
    if (this.isTouch) {
      this.#touch ??= load("/dash/touch.js").then(({ Touch }) => !this.page.signal.aborted && new Touch(this));
      return void (await this.#touch)?.fit?.();
    }
    (await this.#touch)?.close?.();
    this.#touch = null;
    if (!this.isKiosk && !this.element.style.zoom) return;
    const { fit } = await load("/dash/kiosk.js");
    fit(this.element, this.isKiosk && !this.page.store.get("narrow"), this.widgets.map(({ data }) => data));
  }

  /** Sentences above the widgets; `action` is a button after the last: `{ label, run }`. */
  say(lines, action) {
    this.notice.hidden = !lines.length;
    const button = action && h("button", { type: "button", class: "link", onclick: action.run }, action.label);
    const shown = lines.slice(0, 5);
    this.notice.replaceChildren(...shown.map((line, i) => h("p", {}, line, " ", i === shown.length - 1 && button)));
  }

  // Looking and editing

  #mode(isEditing) {
    // What was said of a change, with a way back, is over.
    if (this.isEditing && !isEditing) this.say([]);
    this.isEditing = isEditing;
    this.element.classList.toggle("editing", isEditing);
    this.editButton.setAttribute("aria-pressed", isEditing);
    this.editButton.textContent = isEditing ? "Done" : "Edit";
    this.addButton.hidden = !isEditing;
    this.#dress();
    for (const button of [this.editButton, this.moreButton]) button.hidden = !this.canEdit;
    // A draft that is only viewed still says that it is not saved.
    const { query } = this.page.route, isDraft = query.has("w") && query.has("d");
    this.saveButton.hidden = !isEditing && !(this.canEdit && isDraft);
    this.saveNote.hidden = true;
    if (!this.saveButton.hidden) this.#load().then((editing) => editing.offer(), () => {});
  }

  #dress() {
    if (this.isEditing) this.#load().then(({ handles }) => handles.show(), () => {});
    else this.#editing?.handles.show();
  }

  switchEditing(isEditing = !this.isEditing) {
    if (isEditing === this.isEditing) return;
    const { query } = this.page.route;
    this.#mode(isEditing);
    this.go(query.get("w"), query.get("d"));
    if (this.widgets.length || !isEditing) this.editButton.focus();
    this.page.announce(isEditing ? "Editing: add, move and remove widgets" : "Looking: widgets stay where they are");
  }

  /** The address of a layout, of a saved dashboard, or of both: a draft. */
  go(w, d = this.saved?.name, { replace = true } = {}) {
    const query = new URLSearchParams();
    if (d) query.set("d", d);
    if (d && w && this.saved?.etag) query.set("t", this.saved.etag);
    if (w) query.set("w", w);
    if (this.isEditing) query.set("edit", "1");
    this.#address = JSON.stringify([w ?? null, d ?? null, false]);
    const text = query.toString();
    this.page.go(`${graphPath(this.graph, "dash")}${text && `?${text}`}`, { replace });
  }

  async edit(act) {
    const loading = new AbortController();
    // Keys pressed meanwhile are meant for the dialog that opens.
    addEventListener("keydown", (event) => {
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopImmediatePropagation();
    }, { capture: true, signal: loading.signal });
    const editing = await this.#load().catch(({ message }) =>
      this.say([`Dashboards cannot be changed at the moment: ${message}.`]));
    loading.abort();
    if (editing && !this.page.signal.aborted) act(editing);
  }

  async #load() {
    const { Editing } = await load("/dash/editing.js");
    return (this.#editing ??= new Editing(this));
  }

  /** Widgets are moved by their heads. The module for that is loaded when the pointer moves. */
  #prepare(signal) {
    for (const name of ["pointermove", "focusin"]) {
      addEventListener(name, () => this.canEdit && this.#load().catch(() => {}), { once: true, signal });
    }
    this.element.addEventListener("pointerdown", (event) => {
      const handle = event.target.closest(".widget > header, .widget-resize, .handle-move");
      const isOther = event.button || event.target.closest("button:not(.handle-move)") || this.page.store.get("narrow");
      if (!handle || isOther || !this.isEditing) return;
      event.preventDefault();
      this.edit((editing) => editing.moving.grab(event, handle));
    }, { signal });
  }

  close() {
    for (const each of this.widgets) each.close();
    for (const { feeds, observed } of this.#sources.values()) { feeds.close(); observed.close(); }
  }
}

export async function mount(element, page) {
  element.classList.add("in-dash");
  await page.style("/dash/dash.css");
  if (page.signal.aborted) return;
  const board = new Board(element, page);
  board.show(page.route);
  return { update: (route) => board.show(route), unmount: () => board.close() };
}
