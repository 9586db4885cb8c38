// The dashboard of a graph: widgets that listen, and so own what they show. Its layout is in the address.
import { h, icon } from "/lib/dom.js";
import { plural } from "/lib/format.js";
import { graphPath } from "/lib/router.js";
import { Cursor } from "/dash/cursor.js";
import { Feeds } from "/dash/feeds.js";
import { Grid } from "/dash/grid.js";
import { compose, decode, encode, most, read, settle } from "/dash/layout.js";
import { Observed } from "/dash/observed.js";
import { Saved, named, readFile, download } from "/dash/storage.js";
import { Widget } from "/dash/widget.js";

const plus = "M8 3v10M3 8h10";

class Board {
  widgets = [];
  cursor = new Cursor();
  layout = null;
  canEdit = true;
  #element; #notice; #url = null; #shown = null; #tools;

  constructor(element, page) {
    this.page = page;
    this.graph = page.route.params.graph;
    this.saved = new Saved(this.graph);
    this.observed = new Observed(page.client, this.graph);
    this.feeds = new Feeds(page.client, this.graph, (name) => this.facts(name));
    this.#notice = h("div", { class: "dash-notice", role: "status", hidden: true });
    this.#element = h("div", { class: "dash" });
    element.append(this.#notice, this.#element);
    this.grid = new Grid(this.#element, this);
    page.store.listen("state", ({ name }) => this.feeds.connected(name === "live"), page.signal);
    this.#toolbar();
    // The first values of a graph's facts decide units, bounds and what a first dashboard shows.
    this.observed.addEventListener("change", () => this.show(this.page.route), { once: true, signal: page.signal });
    page.keys.bind("e", "Add a widget", () => this.add(), { signal: page.signal, group: "Dashboard" });
  }

  facts(name) { return this.observed.nodes?.get(name); }

  /** Shows what the address asks for: a layout of its own, a named one, else the one there is. */
  async show(route) {
    this.page.route = route;
    const w = route.query.get("w"), d = route.query.get("d"), url = w ?? (d === null ? "" : `d:${d}`);
    this.canEdit = route.query.get("kiosk") !== "1";
    document.documentElement.toggleAttribute("data-kiosk", !this.canEdit);
    if (!this.observed.nodes || url === this.#shown) return;
    this.#shown = url;
    const answer = w !== null ? decode(w) : await this.#stored(d);
    if (this.#shown !== url) return;
    this.#say(answer.problems);
    this.set(answer.layout ?? { v: 1, widgets: [] });
  }

  async #stored(name) {
    if (name === null) {
      const own = this.saved.get("");
      if (own) return read(own);
      const first = (await named()).find((each) => (each.graph ?? each.name) === this.graph);
      name = first?.name ?? null;
      if (name === null) return { layout: compose([...this.observed.nodes.values()]), problems: [] };
    }
    const own = this.saved.get(name);
    if (own) return read(own);
    const file = await readFile(name);
    return file.problem ? { layout: null, problems: [file.problem] } : read(file.layout);
  }

  set(layout) {
    const focused = document.activeElement?.closest?.(".widget")?.getAttribute("aria-label");
    for (const each of this.widgets) each.close();
    this.layout = layout;
    this.widgets = layout.widgets.map((data) => new Widget(data, this));
    this.#element.replaceChildren(...this.widgets.map(({ element }) => element));
    this.page.title(layout.title ?? `${this.graph} dashboard`);
    if (!this.widgets.length) this.#element.append(this.#empty());
    this.grid.arrange();
    if (focused) this.#element.querySelector(`.widget[aria-label="${CSS.escape(focused)}"] .widget-menu`)?.focus();
  }

  #empty() {
    return h("div", { class: "notice" }, h("h1", {}, "An empty dashboard"), h("p", {}, "Widgets show nodes of this graph and listen to them: what they show is kept alive by this page."),
      h("button", { type: "button", class: "primary", onclick: () => this.add() }, "Add a widget"));
  }

  #say(lines) {
    this.#notice.hidden = !lines.length;
    this.#notice.replaceChildren(...lines.slice(0, 5).map((line) => h("p", {}, line)));
  }

  // Changing it

  /** The layout was changed here: the address says so. */
  changed() {
    this.layout.widgets = this.widgets.map(({ data }) => data);
    const text = encode(this.layout);
    if (!text) {
      this.#say([`This dashboard is too large for an address (${plural(this.widgets.length, "widget")}). Save or export it to keep it.`]);
      return;
    }
    this.#say([]);
    this.#shown = text;
    const kiosk = this.canEdit ? "" : "&kiosk=1";
    this.page.go(`${graphPath(this.graph, "dash")}?w=${text}${kiosk}`, { replace: true });
  }

  async add() {
    if (this.widgets.length >= most.widgets) return this.#say([`A dashboard has at most ${most.widgets} widgets.`]);
    const { askWidget } = await import("/dash/forms.js"), data = await askWidget(this);
    if (!data) return;
    this.#insert(data);
  }

  #insert(data) {
    const widget = new Widget(data, this);
    if (!this.widgets.length) this.#element.replaceChildren();
    this.widgets.push(widget);
    settle(this.widgets.map((each) => each.data));
    this.#element.append(widget.element);
    this.grid.arrange();
    this.changed();
    widget.element.scrollIntoView({ block: "nearest" });
    widget.menuButton.focus();
    this.page.announce(`Added ${widget.title}`);
  }

  async edit(widget) {
    const { askWidget } = await import("/dash/forms.js"), data = await askWidget(this, widget.data);
    if (!data) return void widget.menuButton.focus();
    const next = new Widget(data, this);
    this.widgets[this.widgets.indexOf(widget)] = next;
    widget.element.replaceWith(next.element);
    widget.close();
    this.grid.arrange();
    this.changed();
    next.menuButton.focus();
  }

  duplicate(widget) {
    const { x, y, ...rest } = structuredClone(widget.data);
    this.#insert({ ...rest, x, y: y + rest.h });
  }

  remove(widget) {
    const at = this.widgets.indexOf(widget);
    this.widgets.splice(at, 1);
    widget.close();
    settle(this.widgets.map((each) => each.data));
    this.grid.arrange();
    this.changed();
    if (!this.widgets.length) this.#element.append(this.#empty());
    (this.widgets[Math.min(at, this.widgets.length - 1)]?.menuButton ?? this.#tools.add).focus();
    this.page.announce(`Removed ${widget.title}`);
  }

  // Tools

  #toolbar() {
    const add = h("button", { type: "button", onclick: () => this.add() }, icon(plus), "Add widget");
    const more = h("button", { type: "button", class: "quiet", "aria-haspopup": "menu", onclick: () => this.#more(more) }, "Dashboards ▾");
    this.#tools = { add, more };
    this.page.header.append(more, add);
  }

  async #more(button) {
    const files = await named(), own = this.saved.names().filter(Boolean), to = (name) => () => this.page.go(`${graphPath(this.graph, "dash")}?d=${encodeURIComponent(name)}`);
    this.page.dialogs.menu(button, [
      ...files.filter((each) => !each.graph || each.graph === this.graph).map(({ name, title }) => ({ label: title || name, action: to(name) })),
      ...own.map((name) => ({ label: `${name} (saved here)`, action: to(name) })),
      { label: "Made from the graph", action: () => { this.set(compose([...this.observed.nodes.values()])); this.changed(); } },
      { label: "Save as…", action: () => this.#save() },
      { label: "Copy link", action: () => this.#link() },
      { label: "Export", action: () => download(`${this.graph}-dashboard.json`, { ...this.layout, graph: this.graph }) },
      { label: "Import…", action: () => this.#import() },
      { label: "Full page (kiosk)", action: () => this.page.go(`${location.hash.slice(1)}${location.hash.includes("?") ? "&" : "?"}kiosk=1`) },
    ]);
  }

  async #save() {
    const name = h("input", { maxlength: 60, value: this.layout.title ?? "", "aria-label": "Name" });
    const choice = await this.page.dialogs.open({ title: "Save dashboard in this browser", body: name, actions: [{ label: "Cancel", value: null }, { label: "Save", value: "yes", kind: "primary" }] });
    if (choice !== "yes" || !name.value.trim()) return;
    this.layout.title = name.value.trim();
    if (!this.saved.set(this.layout.title, this.layout)) return this.#say(["This browser does not let the page keep anything. Export the dashboard instead."]);
    this.page.go(`${graphPath(this.graph, "dash")}?d=${encodeURIComponent(this.layout.title)}`);
  }

  async #link() {
    this.changed();
    try {
      await navigator.clipboard.writeText(location.href);
      this.page.announce("Link copied");
    } catch {
      this.page.dialogs.open({ title: "Link to this dashboard", body: h("textarea", { rows: 4, readonly: true }, location.href) });
    }
  }

  #import() {
    const input = h("input", { type: "file", accept: ".json,application/json" });
    input.addEventListener("change", async () => {
      const [file] = input.files;
      if (!file) return;
      if (file.size > most.file) return this.#say([`The file is larger than ${most.file / 1024} KiB.`]);
      let thing;
      try { thing = JSON.parse(await file.text()); } catch { return this.#say(["The file is no JSON."]); }
      const { layout, problems } = read(thing);
      this.#say(problems);
      if (!layout) return;
      this.set(layout);
      const said = problems.length;
      if (!said) this.changed();
    });
    input.click();
  }

  close() {
    for (const each of this.widgets) each.close();
    this.feeds.close();
    this.observed.close();
    document.documentElement.removeAttribute("data-kiosk");
  }
}

export async function mount(element, page) {
  await Promise.all([page.style("/dash/dash.css")]);
  const board = new Board(element, page);
  board.show(page.route);
  return { update: (route) => board.show(route), unmount: () => board.close() };
}
