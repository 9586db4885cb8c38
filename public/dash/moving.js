// Widgets on their twelve columns moved and resized, by pointer or by keyboard.
import { columns, settle } from "/dash/layout.js";

const rowHeight = 56, gap = 12;

export class Moving {
  #element; #board; #editing; #held = null;

  constructor(board, editing) {
    const { element } = board;
    this.#element = element;
    this.#board = board;
    this.#editing = editing;
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("focusout", (event) => {
      if (this.#held && !this.#held.widget.element.contains(event.relatedTarget)) this.#drop(true, false);
    });
  }

  /**
   * Takes a widget into the hand: arrows move it, with Shift they resize it, Enter drops it, Escape
   * puts it back.
   */
  hold(widget) {
    this.#held = { widget, before: this.#places() };
    widget.element.classList.add("held");
    widget.element.tabIndex = -1;
    widget.element.focus();
    this.#board.page.announce(`${widget.title}: arrows move, Shift and arrows resize, Enter keeps, Escape puts back`);
  }

  #places() { return this.#board.widgets.map(({ data }) => [data, { x: data.x, y: data.y, w: data.w, h: data.h }]); }

  #drop(keep, isFocused = true) {
    const { widget, before } = this.#held;
    this.#held = null;
    widget.element.classList.remove("held");
    widget.element.removeAttribute("tabindex");
    if (keep) this.#editing.changed();
    else for (const [data, place] of before) Object.assign(data, place);
    this.#board.arrange();
    if (isFocused) widget.menuButton.focus();
    const { x, y, w, h } = widget.data;
    const where = `column ${x + 1}, row ${y + 1}, ${w} wide, ${h} high`;
    this.#board.page.announce(keep ? `${widget.title}: ${where}` : `${widget.title} put back`);
  }

  #key(event) {
    if (!this.#held || event.target !== this.#held.widget.element) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Enter" || event.key === "Escape") this.#drop(event.key === "Enter");
    else if (step) this.#step(step, event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Changes places with the next widget in reading order, or the one before: for small screens. */
  swap(widget, by) {
    const all = this.#board.widgets.map(({ data }) => data).sort((a, b) => a.y - b.y || a.x - b.x);
    const { data } = widget, other = all[all.indexOf(data) + by];
    if (!other) return;
    [data.x, data.y, other.x, other.y] = [other.x, other.y, data.x, data.y];
    for (const each of [data, other]) each.x = Math.min(each.x, columns - each.w);
    settle(all, by < 0 ? data : other);
    this.#board.arrange();
    this.#editing.changed();
    widget.element.scrollIntoView({ block: "nearest" });
    widget.menuButton.focus();
  }

  /** As far as needed to get past an obstacle: one row down, a widget would float up again. */
  #step([across, down], isResize) {
    const { widget, before } = this.#held, { data } = widget, { x, y, w, h } = data;
    for (let far = 1; far <= 24 && data.x === x && data.y === y && data.w === w && data.h === h; far++) {
      const by = [far * across, far * down];
      const next = isResize ? { x, y, w: w + by[0], h: h + by[1] } : { x: x + by[0], y: y + by[1], w, h };
      this.#change(widget, before, next);
    }
  }

  /** Tries a place for a widget: the others make room from where they were before. */
  #change(widget, before, { x, y, w, h }) {
    for (const [data, place] of before) if (data !== widget.data) Object.assign(data, place);
    w = Math.min(columns, Math.max(2, w));
    h = Math.min(24, Math.max(1, h));
    Object.assign(widget.data, { w, h, x: Math.min(columns - w, Math.max(0, x)), y: Math.max(0, y) });
    settle(this.#board.widgets.map(({ data }) => data), widget.data);
    this.#board.arrange();
    for (const each of this.#board.widgets) each.mark();
  }

  /**
   * Moves a widget by its head, or resizes it by its corner, from the press of the pointer until
   * its release.
   */
  grab(event, handle) {
    const element = handle.closest(".widget"), widget = this.#board.widgets.find((each) => each.element === element);
    const isResize = handle.classList.contains("widget-resize"), before = this.#places(), start = { ...widget?.data };
    const ending = new AbortController(), { signal } = ending;
    const wide = (this.#element.clientWidth + gap) / columns, high = rowHeight + gap;
    let hasMoved = false;
    try { handle.setPointerCapture(event.pointerId); } catch { return; }
    handle.addEventListener("pointermove", (move) => {
      // The mouse may have been released while this module was loading.
      if (!move.buttons) return end(true);
      const across = move.clientX - event.clientX, down = move.clientY - event.clientY;
      const x = Math.round(across / wide), y = Math.round(down / high);
      hasMoved ||= Math.abs(across) + Math.abs(down) > 4;
      if (!hasMoved) return;
      element.classList.add("held");
      const changed = isResize ? { w: start.w + x, h: start.h + y } : { x: start.x + x, y: start.y + y };
      this.#change(widget, before, { ...start, ...changed });
    }, { signal });
    const end = (keep) => {
      ending.abort();
      element.classList.remove("held");
      if (!hasMoved) return;
      if (keep) this.#editing.changed();
      else for (const [data, place] of before) Object.assign(data, place);
      this.#board.arrange();
    };
    handle.addEventListener("pointerup", () => end(true), { signal });
    handle.addEventListener("pointercancel", () => end(false), { signal });
  }
}
