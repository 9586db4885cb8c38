// What changes a dashboard: widgets added, edited, moved and removed; dashboards saved, copied, taken in and given out.
import { graphPath, h } from "/lib/dom.js";
import { plural } from "/lib/format.js";
import { encode } from "/dash/address.js";
import { askWidget } from "/dash/forms.js";
import { Moving } from "/dash/moving.js";
import { widgetMenu } from "/dash/menu.js";
import { most, read, settle } from "/dash/layout.js";
import { Widget } from "/dash/page.js";

/** Gives the person a file. */
function download(name, thing) {
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(thing, null, 2)}\n`], { type: "application/json" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export class Editing {
  #board;

  constructor(board) {
    this.#board = board;
    this.moving = new Moving(board, this);
  }

  /** The layout was changed: the address says so, as far as it is long enough for that. */
  changed() {
    const board = this.#board;
    board.layout.widgets = board.widgets.map(({ data }) => data);
    const text = encode(board.layout);
    if (!text) return board.say([`This dashboard is too large for an address (${plural(board.widgets.length, "widget")}). Save or export it to keep it.`]);
    board.say([]);
    board.goTo(text);
  }

  /** Places that widgets have now, whatever was changed, and the address with them. */
  #settled() {
    settle(this.#board.widgets.map((each) => each.data));
    this.#board.arrange();
    this.changed();
  }

  get #isFull() {
    const isFull = this.#board.widgets.length >= most.widgets;
    if (isFull) this.#board.say([`A dashboard has at most ${most.widgets} widgets.`]);
    return isFull;
  }

  /** What to become of a widget; null also where the person has gone elsewhere meanwhile: widgets of a view that was left would listen for ever. */
  async #ask(data) {
    const answer = await askWidget(this.#board, data);
    return this.#board.page.signal.aborted ? null : answer;
  }

  async add() {
    const data = !this.#isFull && await this.#ask();
    if (data) this.#insert(data);
  }

  #insert(data) {
    const board = this.#board, widget = new Widget(data, board);
    if (!board.widgets.length) board.element.replaceChildren();
    board.widgets.push(widget);
    board.element.append(widget.element);
    this.#settled();
    widget.element.scrollIntoView({ block: "nearest" });
    widget.menuButton.focus();
    board.page.announce(`Added ${widget.title}`);
  }

  async edit(widget) {
    const board = this.#board, data = await this.#ask(widget.data);
    // Nor does one go back to its place that another dashboard has taken.
    if (!data || !board.widgets.includes(widget)) return void widget.menuButton.focus();
    const next = new Widget(data, board);
    board.widgets[board.widgets.indexOf(widget)] = next;
    widget.element.replaceWith(next.element);
    widget.close();
    board.arrange();
    this.changed();
    next.menuButton.focus();
  }

  duplicate({ data: { x, y, ...rest } }) { if (!this.#isFull) this.#insert({ ...structuredClone(rest), x, y: y + rest.h }); }

  remove(widget) {
    const board = this.#board, at = board.widgets.indexOf(widget);
    board.widgets.splice(at, 1);
    widget.close();
    this.#settled();
    (board.widgets[Math.min(at, board.widgets.length - 1)]?.menuButton ?? board.addButton).focus();
    board.page.announce(`Removed ${widget.title}`);
  }

  menu(widget) { return widgetMenu(widget, this.#board, this); }

  // Dashboards as wholes

  async more(button) {
    const board = this.#board, { graph, page, saved } = board, to = (name) => () => page.go(`${graphPath(graph, "dash")}?d=${encodeURIComponent(name)}`);
    const files = (await board.named()).filter((each) => !each.graph || each.graph === graph);
    if (page.signal.aborted) return;
    page.dialogs.menu(button, [
      ...files.map(({ name, title }) => ({ label: title || name, action: to(name) })),
      ...Object.keys(saved).filter(Boolean).map((name) => ({ label: `${name} (saved here)`, action: to(name) })),
      { label: "Made from the graph", action: async () => this.#take((await board.composed()).layout) },
      { label: "Save as…", action: () => this.#save() },
      ...Object.keys(saved).filter((name) => name === page.route.query.get("d")).map((name) => ({ label: `Delete ${name}`, action: () => this.#delete(name) })),
      { label: "Copy link", action: () => this.#link() },
      { label: "Export", action: () => download(`${graph}-dashboard.json`, { ...board.layout, graph }) },
      { label: "Import…", action: () => this.#import() },
      { label: "Full page (kiosk)", action: () => page.go(`${location.hash.slice(1)}${location.hash.includes("?") ? "&" : "?"}kiosk=1`) },
    ]);
  }

  /** Another layout, unless the person has gone elsewhere meanwhile. */
  #take(layout) {
    if (this.#board.page.signal.aborted) return;
    this.#board.set(layout);
    this.changed();
  }

  async #save() {
    const board = this.#board, { graph, layout, page } = board, name = h("input", { maxlength: 60, value: layout.title ?? "", "aria-label": "Name" });
    const choice = await page.dialogs.open({ title: "Save dashboard in this browser", body: name, actions: [{ label: "Cancel", value: null }, { label: "Save", value: "yes", kind: "primary" }] });
    const title = name.value.trim();
    if (choice !== "yes" || !title) return;
    const isTaken = Object.hasOwn(board.saved, title) && title !== page.route.query.get("d");
    if (isTaken && !await page.dialogs.confirm(`Replace ${title}?`, "This browser has a dashboard of this name already.", "Replace")) return;
    layout.title = title;
    if (this.#keep({ ...board.saved, [title]: layout })) page.go(`${graphPath(graph, "dash")}?d=${encodeURIComponent(title)}`);
  }

  async #delete(name) {
    const { saved: { [name]: _, ...others }, graph, page } = this.#board;
    if (await page.dialogs.confirm(`Delete ${name}?`, "It is saved in this browser only.", "Delete") && this.#keep(others)) page.go(graphPath(graph, "dash"));
  }

  #keep(saved) {
    const { graph } = this.#board;
    try {
      localStorage.setItem(`sluice.dash.${graph}`, JSON.stringify(saved));
    } catch {
      return void this.#board.say(["This browser does not let the page keep anything. Export the dashboard instead."]);
    }
    return true;
  }

  async #link() {
    const { page } = this.#board;
    this.changed();
    try {
      await navigator.clipboard.writeText(location.href);
      page.announce("Link copied");
    } catch {
      page.dialogs.open({ title: "Link to this dashboard", body: h("textarea", { rows: 4, readonly: true }, location.href) });
    }
  }

  #import() {
    const board = this.#board, input = h("input", { type: "file", accept: ".json,application/json" });
    input.addEventListener("change", async () => {
      const [file] = input.files;
      if (!file) return;
      if (file.size > most.file) return board.say([`The file is larger than ${most.file / 1024} KiB.`]);
      let thing;
      try { thing = JSON.parse(await file.text()); } catch { return board.say(["The file is no JSON."]); }
      const { layout, problems } = read(thing);
      if (!layout) return board.say(problems);
      this.#take(layout);
      if (problems.length) board.say(problems);
    });
    input.click();
  }
}
