// Widgets on twelve columns, moved and resized by pointer or by keyboard; one below the other on narrow screens.
import { columns, settle } from "/dash/layout.js";

const rowHeight = 56, gap = 12;

export class Grid {
  #element; #board; #held = null;

  constructor(element, board) {
    this.#element = element;
    this.#board = board;
    element.addEventListener("pointerdown", (event) => this.#grab(event));
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("focusout", (event) => {
      if (this.#held && !this.#held.widget.element.contains(event.relatedTarget)) this.#drop(true);
    });
  }

  /** Puts every widget where its data says, in reading order so that Tab goes from top to bottom. */
  arrange() {
    const widgets = [...this.#board.widgets].sort((a, b) => a.data.y - b.data.y || a.data.x - b.data.x);
    widgets.forEach(({ element, data }, i) => {
      element.style.gridColumn = `${data.x + 1} / span ${data.w}`;
      element.style.gridRow = `${data.y + 1} / span ${data.h}`;
      if (this.#element.children[i] !== element && !element.contains(document.activeElement)) this.#element.insertBefore(element, this.#element.children[i] ?? null);
    });
  }

  /** Takes a widget into the hand: arrows move it, with Shift they resize it, Enter drops it, Escape puts it back. */
  hold(widget) {
    this.#held = { widget, before: this.#places() };
    widget.element.classList.add("held");
    widget.element.tabIndex = -1;
    widget.element.focus();
    this.#board.page.announce(`${widget.title}: arrows move, Shift and arrows resize, Enter keeps, Escape puts back`);
  }

  #places() { return this.#board.widgets.map(({ data }) => [data, { x: data.x, y: data.y, w: data.w, h: data.h }]); }

  #drop(keep) {
    const { widget, before } = this.#held;
    this.#held = null;
    widget.element.classList.remove("held");
    widget.element.removeAttribute("tabindex");
    if (keep) this.#board.changed();
    else for (const [data, place] of before) Object.assign(data, place);
    this.arrange();
    widget.menuButton.focus();
    const { x, y, w, h } = widget.data;
    this.#board.page.announce(keep ? `${widget.title}: column ${x + 1}, row ${y + 1}, ${w} wide, ${h} high` : `${widget.title} put back`);
  }

  #key(event) {
    if (!this.#held || event.target !== this.#held.widget.element) return;
    const { widget, before } = this.#held, { data } = widget;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Enter" || event.key === "Escape") this.#drop(event.key === "Enter");
    else if (step) this.#change(widget, before, event.shiftKey ? { ...data, w: data.w + step[0], h: data.h + step[1] } : { ...data, x: data.x + step[0], y: data.y + step[1] });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Tries a place for a widget: the others make room from where they were before. */
  #change(widget, before, { x, y, w, h }) {
    for (const [data, place] of before) if (data !== widget.data) Object.assign(data, place);
    w = Math.min(columns, Math.max(2, w));
    Object.assign(widget.data, { w, h: Math.min(24, Math.max(1, h)), x: Math.min(columns - w, Math.max(0, x)), y: Math.max(0, y) });
    settle(this.#board.widgets.map(({ data }) => data), widget.data);
    this.arrange();
    for (const each of this.#board.widgets) each.mark();
  }

  #grab(event) {
    const handle = event.target.closest(".widget header, .widget-resize"), element = handle?.closest(".widget");
    if (!element || event.button || event.target.closest("button, a, input") || this.#board.page.store.get("narrow") || !this.#board.canEdit) return;
    const widget = this.#board.widgets.find((each) => each.element === element), before = this.#places();
    const isResize = handle.classList.contains("widget-resize"), start = { ...widget.data }, ending = new AbortController(), { signal } = ending;
    const wide = (this.#element.clientWidth + gap) / columns, high = rowHeight + gap;
    let hasMoved = false;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener("pointermove", (move) => {
      const x = Math.round((move.clientX - event.clientX) / wide), y = Math.round((move.clientY - event.clientY) / high);
      hasMoved ||= Math.abs(move.clientX - event.clientX) + Math.abs(move.clientY - event.clientY) > 4;
      if (!hasMoved) return;
      element.classList.add("held");
      this.#change(widget, before, isResize ? { ...start, w: start.w + x, h: start.h + y } : { ...start, x: start.x + x, y: start.y + y });
    }, { signal });
    const end = (keep) => {
      ending.abort();
      element.classList.remove("held");
      if (!hasMoved) return;
      if (keep) this.#board.changed();
      else for (const [data, place] of before) Object.assign(data, place);
      this.arrange();
    };
    handle.addEventListener("pointerup", () => end(true), { signal });
    handle.addEventListener("pointercancel", () => end(false), { signal });
  }
}
