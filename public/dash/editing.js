// What changes a dashboard: widgets added, edited, moved and removed, and each step undone and done
// again. Saving is in keeping.js.
import { h, icon } from "/lib/dom.js";
import { plural } from "/lib/format.js";
import { encode } from "/dash/address.js";
import { askWidget } from "/dash/forms.js";
import { Handles } from "/dash/handles.js";
import { Keeping } from "/dash/keeping.js";
import { widgetMenu } from "/dash/menu.js";
import { Moving } from "/dash/moving.js";
import { most, read, settle } from "/dash/layout.js";
import { Widget } from "/dash/widget.js";

const remembered = 50;

export class Editing {
  #board; #keeping;
  /** Layouts before each change, those that were undone, as text, and the present one. */
  #past = []; #undone = []; #present;

  constructor(board) {
    this.#board = board;
    this.#keeping = new Keeping(board, this);
    const step = (name, keys, path, run) => h("button", { type: "button", class: "quiet only-icon", "aria-label": name,
      title: `${name} (${keys})`, disabled: true, onclick: run }, icon(path));
    this.undoButton = step("Undo", "Ctrl+Z", "M6 3L2.5 6.5 6 10M3 6.5h6.5a4 4 0 0 1 0 7H6", () => this.undo());
    this.redoButton = step("Redo", "Ctrl+Shift+Z", "M10 3l3.5 3.5L10 10M13 6.5H6.5a4 4 0 0 0 0 7H10", () => this.redo());
    board.addButton.before(this.undoButton, this.redoButton);
    this.moving = new Moving(board, this);
    this.handles = new Handles(board, this);
    this.#present = JSON.stringify(board.layout);
    this.handles.show();
  }

  /**
   * The layout has changed: the change can be undone, and the address holds the draft if it has
   * room.
   */
  changed() {
    const board = this.#board;
    board.layout.widgets = board.widgets.map(({ data }) => data);
    const text = JSON.stringify(board.layout);
    if (text === this.#present) return;
    this.#past = [...this.#past.slice(1 - remembered), this.#present];
    this.#undone = [];
    this.#present = text;
    this.#address();
  }

  #address() {
    const board = this.#board, text = encode(board.layout);
    board.switchEditing(true);
    this.#buttons();
    const count = plural(board.widgets.length, "widget");
    board.say(text ? [] : [`This draft is too large for an address (${count}). Save it to keep it.`]);
    if (text) board.go(text);
  }

  #buttons() {
    const { undoButton, redoButton } = this, focused = document.activeElement;
    undoButton.disabled = !this.#past.length;
    redoButton.disabled = !this.#undone.length;
    // A disabled button would lose the focus.
    if (focused.disabled) (focused === undoButton ? redoButton : undoButton).focus();
  }

  undo() { this.#step(this.#past, this.#undone, "Undone"); }
  redo() { this.#step(this.#undone, this.#past, "Done again"); }

  #step(from, to, words) {
    const next = from.pop();
    if (next === undefined) return;
    to.push(this.#present);
    this.#present = next;
    this.#board.set(read(JSON.parse(next)).layout);
    this.#address();
    this.#board.page.announce(words);
  }

  /** Another layout: a change while the dashboard is edited, else a fresh start. */
  take({ layout, foot }) {
    this.#board.set(layout, foot);
    if (this.#board.isEditing) this.changed();
    else this.restart();
  }

  /** Another dashboard is shown: earlier changes cannot be undone in it. */
  restart() {
    [this.#past, this.#undone] = [[], []];
    this.#present = JSON.stringify(this.#board.layout);
    this.#buttons();
  }

  /** The places that widgets have now, and the address with them. */
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

  /**
   * Asks for a widget's data; null also if the view was left meanwhile, because its widgets would
   * listen for ever.
   */
  async #ask(data) {
    const answer = await askWidget(this.#board, data);
    return this.#board.page.signal.aborted ? null : answer;
  }

  async add() {
    const data = !this.#isFull && await this.#ask();
    if (data) this.#insert(data);
  }

  #insert(...all) {
    const board = this.#board, widgets = all.map((data) => new Widget(data, board)), [first] = widgets;
    if (!board.widgets.length) board.element.replaceChildren();
    // First where two have the same place: the other makes room.
    board.widgets.unshift(...widgets);
    board.element.append(...widgets.map(({ element }) => element));
    this.#settled();
    first.element.scrollIntoView({ block: "nearest" });
    first.menuButton.focus();
    board.page.announce(`Added ${widgets.map(({ title }) => title).join(", ")}`);
  }

  async edit(widget) {
    const board = this.#board, data = await this.#ask(widget.data);
    // A widget does not return to a place in another dashboard.
    if (!data || !board.widgets.includes(widget)) return void widget.menuButton.focus();
    const next = new Widget(data, board);
    board.widgets[board.widgets.indexOf(widget)] = next;
    widget.element.replaceWith(next.element);
    widget.close();
    board.arrange();
    this.changed();
    next.menuButton.focus();
  }

  /** A copy below each of them. */
  duplicate(...widgets) {
    const free = most.widgets - this.#board.widgets.length;
    if (this.#isFull) return;
    this.#insert(...widgets.slice(0, free).map(({ data }) => ({ ...structuredClone(data), y: data.y + data.h })));
  }

  remove(...widgets) {
    const board = this.#board, at = board.widgets.indexOf(widgets[0]);
    const what = widgets.length > 1 ? plural(widgets.length, "widget") : widgets[0].title;
    board.widgets = board.widgets.filter((each) => !widgets.includes(each));
    for (const each of widgets) each.close();
    this.#settled();
    (board.widgets[Math.min(at, board.widgets.length - 1)]?.menuButton ?? board.addButton).focus();
    board.say([`Removed ${what}.`], { label: "Undo", run: () => this.undo() });
    board.page.announce(`Removed ${what}. Undo brings it back`);
  }

  menu(widget) { widgetMenu(widget, this.#board, this); }
  more(button) { return this.#keeping.more(button); }
  save() { return this.#keeping.save(); }
  offer() { return this.#keeping.offer(); }
}
