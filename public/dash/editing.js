// What changes a dashboard: widgets added, edited, moved and removed, and taken back again. Saving
// is in keeping.js.
import { plural } from "/lib/format.js";
import { encode } from "/dash/address.js";
import { askWidget } from "/dash/forms.js";
import { Keeping } from "/dash/keeping.js";
import { widgetMenu } from "/dash/menu.js";
import { Moving } from "/dash/moving.js";
import { most, read, settle } from "/dash/layout.js";
import { Widget } from "/dash/widget.js";

const remembered = 50;

export class Editing {
  #board; #keeping;
  /** Layouts before each change, as text, and the present one. */
  #past = []; #present;

  constructor(board) {
    this.#board = board;
    this.#keeping = new Keeping(board, this);
    this.moving = new Moving(board, this);
    this.#present = JSON.stringify(board.layout);
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
    this.#present = text;
    this.#address();
  }

  #address() {
    const board = this.#board, text = encode(board.layout);
    board.switchEditing(true);
    board.undoButton.disabled = !this.#past.length;
    const count = plural(board.widgets.length, "widget");
    board.say(text ? [] : [`This draft is too large for an address (${count}). Save it to keep it.`]);
    if (text) board.go(text);
  }

  undo() {
    const before = this.#past.pop();
    if (before === undefined) return;
    this.#present = before;
    this.#board.set(read(JSON.parse(before)).layout);
    this.#address();
    this.#board.page.announce("Taken back");
  }

  /** Another dashboard is shown: earlier changes cannot be undone in it. */
  restart() {
    this.#past = [];
    this.#present = JSON.stringify(this.#board.layout);
    this.#board.undoButton.disabled = true;
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

  duplicate({ data: { x, y, ...rest } }) {
    if (!this.#isFull) this.#insert({ ...structuredClone(rest), x, y: y + rest.h });
  }

  remove(widget) {
    const board = this.#board, at = board.widgets.indexOf(widget), { title } = widget;
    board.widgets.splice(at, 1);
    widget.close();
    this.#settled();
    (board.widgets[Math.min(at, board.widgets.length - 1)]?.menuButton ?? board.addButton).focus();
    board.say([`Removed ${title}.`], { label: "Undo", run: () => this.undo() });
    board.page.announce(`Removed ${title}. Undo brings it back`);
  }

  menu(widget) { widgetMenu(widget, this.#board, this); }
  more(button) { return this.#keeping.more(button); }
  save() { return this.#keeping.save(); }
}
