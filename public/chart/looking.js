// Examining a chart: dragging, the wheel, pinching and keys choose the times that are shown; the
// pointer and the arrows move the cursor of all charts.
import { style } from "/lib/dom.js";

style("/dash/more.css");

const spans = [1000, 366 * 24 * 3600e3];
/** How far arrows go, as a part of the width; how long (ms) the cursor rests to be read out. */
const stride = 0.02, rest = 400;

export class Looking {
  #chart; #drag = null; #pointers = new Map(); #timer;

  constructor(chart) { this.#chart = chart; }

  /** Keeps `at` (0…1 of the width) where it is and makes the window `factor` times as long. */
  #zoom(factor, at = 1) {
    const { from, to } = this.#chart.window, fixed = from + (to - from) * at;
    const length = Math.min(spans[1], Math.max(spans[0], (to - from) * factor));
    this.#look(fixed - length * at, fixed + length * (1 - at));
  }

  #pan(share) {
    const { from, to } = this.#chart.window, by = (to - from) * share;
    this.#look(from + by, to + by);
  }

  /** A view that reaches the present follows it. */
  #look(from, to) {
    const chart = this.#chart;
    chart.look(to >= chart.now() ? { span: to - from } : { from, to });
  }

  #point(t) {
    const { cursor } = this.#chart;
    if (t === cursor.t) return;
    cursor.t = t;
    cursor.chart = t === undefined ? null : this.#chart;
    cursor.dispatchEvent(new Event("move"));
  }

  get #apart() {
    const [a, b] = [...this.#pointers.values()];
    return b === undefined ? 0 : Math.abs(a - b);
  }

  #timeAt(offset) {
    const { from, to } = this.#chart.window;
    return from + Math.min(1, Math.max(0, this.#chart.share(offset))) * (to - from);
  }

  /** The cursor without a pointer; what it says is read out when it rests. */
  #step(key) {
    const chart = this.#chart, { from, to } = chart.window, { cursor } = chart, by = (to - from) * stride;
    const t = cursor.t >= from && cursor.t <= to ? cursor.t : to;
    const next = key === "Home" ? from : key === "End" ? to : key === "ArrowLeft" ? t - by : t + by;
    this.#point(Math.min(to, Math.max(from, next)));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => chart.announce(chart.words), rest);
  }

  // Events of the canvas, by their names

  wheel({ deltaX, deltaY, offsetX }) {
    if (Math.abs(deltaX) > Math.abs(deltaY)) return this.#pan(deltaX / 1000);
    this.#zoom(deltaY > 0 ? 1.25 : 0.8, Math.min(1, Math.max(0, this.#chart.share(offsetX))));
  }

  keydown({ key, shiftKey }) {
    const chart = this.#chart;
    if (key === "0") { this.#point(); chart.look(null); }
    else if (key === "Escape") { if (chart.cursor.chart === chart) this.#point(); else chart.look(null); }
    else if (key === "-") this.#zoom(1.25);
    else if (key === "+" || key === "=") this.#zoom(0.8);
    else if (shiftKey && key.startsWith("Arrow")) this.#pan(key === "ArrowLeft" ? -0.2 : 0.2);
    else this.#step(key);
  }

  pointerdown({ pointerId, offsetX, target, shiftKey, button }) {
    // A press that has ended already cannot be captured.
    try { if (!button) target.setPointerCapture(pointerId); } catch { return; }
    if (button) return;
    this.#pointers.set(pointerId, offsetX);
    this.#drag = { x: offsetX, t: this.#timeAt(offsetX), ...this.#chart.window, apart: this.#apart, isPan: shiftKey };
    if (this.#pointers.size > 1) this.#choose(null);
  }

  #choose(times) {
    this.#chart.chosen = times;
    this.#chart.mark();
  }

  pointermove({ pointerId, offsetX }) {
    const chart = this.#chart, drag = this.#drag, isMoved = drag && Math.abs(offsetX - drag.x) > 3;
    if (this.#pointers.has(pointerId)) this.#pointers.set(pointerId, offsetX);
    if (drag && this.#pointers.size === 2) {
      const length = (drag.to - drag.from) * drag.apart / Math.max(16, this.#apart), middle = (drag.from + drag.to) / 2;
      if (drag.apart) this.#look(middle - length / 2, middle + length / 2);
    } else if (isMoved && drag.isPan) {
      const by = (chart.share(drag.x) - chart.share(offsetX)) * (drag.to - drag.from);
      this.#look(drag.from + by, drag.to + by);
    } else if (isMoved || chart.chosen) this.#choose([drag.t, this.#timeAt(offsetX)]);
    const at = chart.share(offsetX);
    this.#point(at >= 0 && at <= 1 ? this.#timeAt(offsetX) : undefined);
  }

  pointerup({ pointerId }) {
    const [a, b] = this.#chart.chosen ?? [], [from, to] = [Math.min(a, b), Math.max(a, b)];
    this.pointercancel({ pointerId });
    if (to - from >= spans[0]) this.#chart.look({ from, to });
  }

  pointercancel({ pointerId }) {
    this.#pointers.delete(pointerId);
    this.#drag = null;
    if (this.#chart.chosen) this.#choose(null);
  }

  pointerleave() { if (!this.#drag) this.#point(); }
  dblclick() { this.#chart.look(null); }
}
