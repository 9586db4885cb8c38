// What stands on each widget while the dashboard is edited: its handles, and the choice of several.
import { h, icon, isField, setText, style } from "/lib/dom.js";
import { plural } from "/lib/format.js";

style("/dash/editing.css");

const icons = {
  none: "M3 3h10v10H3z",
  chosen: "M3 3h10v10H3zM5.5 8l2 2 3.5-4",
  move: "M6 3.5h.01M10 3.5h.01M6 8h.01M10 8h.01M6 12.5h.01M10 12.5h.01",
  duplicate: "M6 6h7.5v7.5H6zM3.5 10h-1V2.5H10v1",
  remove: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M7 7v3.5M9 7v3.5",
};

export class Handles {
  #board; #editing; #chosen = new Set(); #count = h("span", {}, "");
  #bar = h("div", { class: "chosen", role: "toolbar", "aria-label": "Chosen widgets", hidden: true });

  constructor(board, editing) {
    this.#board = board;
    this.#editing = editing;
    const button = (label, onclick, kind) => h("button", { type: "button", class: kind, onclick }, label);
    this.#bar.append(this.#count, button("Duplicate", () => editing.duplicate(...this.#taken())),
      button("Remove", () => this.#remove(), "danger"), button("Choose none", () => this.#clear(), "quiet"));
    board.element.after(this.#bar);
    const { keys, signal } = board.page, bind = (key, label, run) =>
      keys.bind(key, label, () => board.isEditing && this.#chosen.size && run(), { signal, group: "Dashboard" });
    bind("Delete", "Remove the chosen widgets", () => this.#remove());
    addEventListener("keydown", (event) => this.#press(event), { signal });
  }

  /** In the order of the board; nothing is chosen any more. */
  #taken() {
    const all = this.#board.widgets.filter((each) => this.#chosen.has(each));
    this.#clear();
    return all;
  }

  #remove() { this.#editing.remove(...this.#taken()); }

  #clear() {
    this.#chosen.clear();
    this.show();
  }

  /** Ctrl+Z and its relatives, but in a field these are the field's. */
  #press(event) {
    const { key, target, shiftKey } = event, isMeant = (event.ctrlKey || event.metaKey) && !event.altKey;
    if (!this.#board.isEditing || !isMeant || isField(target)) return;
    const letter = key.toLowerCase();
    if (letter === "z" && !shiftKey) this.#editing.undo();
    else if (letter === "z" || letter === "y") this.#editing.redo();
    else return;
    event.preventDefault();
  }

  /** Each widget of the board has its handles while it is edited, and only then. */
  show() {
    const { widgets, isEditing } = this.#board, { undoButton, redoButton } = this.#editing;
    undoButton.hidden = redoButton.hidden = !isEditing;
    for (const each of this.#chosen) if (!isEditing || !widgets.includes(each)) this.#chosen.delete(each);
    for (const widget of widgets) {
      const { element, menuButton } = widget, own = element.querySelectorAll(".handles");
      if (!isEditing) for (const each of own) each.remove();
      else if (!own.length) this.#attach(widget, menuButton);
      this.#mark(widget);
      element.classList.toggle("is-chosen", this.#chosen.has(widget));
    }
    const count = this.#chosen.size;
    this.#bar.hidden = !count;
    setText(this.#count, `${plural(count, "widget")} chosen`);
  }

  #mark(widget) {
    const box = widget.element.querySelector(".handle-choose"), isChosen = this.#chosen.has(widget);
    if (!box || box.ariaChecked === String(isChosen)) return;
    box.ariaChecked = isChosen;
    box.replaceChildren(icon(icons[isChosen ? "chosen" : "none"]));
  }

  /** They stand beside the title: nothing of what the widget shows is covered. */
  #attach(widget, menuButton) {
    const { title } = widget, editing = this.#editing;
    const handle = (name, label, onclick, more) => h("button", {
      type: "button", class: `quiet only-icon handle-${name}`, title: label, "aria-label": `${label} ${title}`, onclick, ...more,
    }, icons[name] && icon(icons[name]));
    const choose = () => {
      this.#chosen[this.#chosen.has(widget) ? "delete" : "add"](widget);
      this.show();
    };
    menuButton.parentElement.prepend(h("span", { class: "handles" }, handle("choose", "Choose", choose, { role: "checkbox" })));
    menuButton.before(h("span", { class: "handles handles-more" },
      // The pointer drags it; the keyboard takes it into the hand.
      handle("move", "Move or resize", ({ detail }) => detail || editing.moving.hold(widget)),
      handle("duplicate", "Duplicate", () => editing.duplicate(widget)),
      handle("remove", "Remove", () => editing.remove(widget))));
  }
}
