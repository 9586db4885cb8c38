// Examining a chart: wheel, pinch and keys zoom, dragging and arrows pan, the pointer moves the
// cursor of all charts. Also a chart's description in words.
import { formatDuration, formatValue } from "/lib/format.js";
import { formatTime } from "/lib/time.js";

const spans = [10e3, 366 * 24 * 3600e3];

export class Looking {
  #chart; #drag = null; #pointers = new Map(); #nextWords = 0;

  constructor(chart) { this.#chart = chart; }

  /** Keeps `at` (0…1 of the width) where it is and makes the window `factor` times as long. */
  #zoom(factor, at = 1) {
    const chart = this.#chart, { from, to } = chart.window;
    const length = Math.min(spans[1], Math.max(spans[0], (to - from) * factor));
    const fixed = from + (to - from) * at;
    if (!chart.view && at === 1) chart.span = length;
    else this.#look(fixed - length * at, fixed + length * (1 - at));
    chart.mark();
  }

  #pan(share) {
    const { from, to } = this.#chart.window, by = (to - from) * share;
    this.#look(from + by, to + by);
  }

  #reset() { this.#chart.view = null; this.#chart.mark(); }

  #point(t) {
    const { cursor } = this.#chart;
    if (t === cursor.t) return;
    cursor.t = t;
    cursor.chart = t === undefined ? null : this.#chart;
    cursor.dispatchEvent(new Event("move"));
  }

  #look(from, to) {
    const chart = this.#chart;
    // A view that has reached the present follows it again.
    if (to >= chart.now()) { chart.span = to - from; chart.view = null; } else chart.view = { from, to };
    chart.mark();
  }

  get #apart() {
    const [a, b] = [...this.#pointers.values()];
    return b === undefined ? 0 : Math.abs(a - b);
  }

  /** In a sentence, at most every ten seconds. */
  describe(canvas, series, from, to) {
    const now = performance.now(), { title } = this.#chart;
    if (now < this.#nextWords || !series.some(({ ring }) => ring.length)) return;
    this.#nextWords = now + 10_000;
    const words = series.map(({ name, unit, ring }) => {
      const extent = ring.extent(from, to)?.map((v) => formatValue(v, unit)), v = ring.at(to);
      const now = v === v ? formatValue(v, unit) : "–";
      return extent ? `${name} ${now}, between ${extent.join(" and ")}` : `${name}: no values yet`;
    });
    const time = `over ${formatDuration(to - from)} until ${formatTime(to)}`;
    canvas.ariaLabel = `${title && `${title}: `}${words.join("; ")}, ${time}`;
  }

  /** Draws a gap in the connection, from `begin` to `end`. */
  hatch({ pen, colours, top, bottom }, gap, begin, end) {
    const high = bottom - top, long = Math.min(gap.to, this.#chart.now()) - gap.from;
    const label = `disconnected ${formatDuration(Math.round(long / 1000) * 1000)}`;
    const wide = pen.measureText(label).width + 8, middle = (begin + end) / 2;
    pen.save();
    pen.beginPath();
    pen.rect(begin, top, end - begin, high);
    pen.clip();
    pen.strokeStyle = colours.grid;
    pen.beginPath();
    for (let at = begin - high; at < end; at += 8) {
      pen.moveTo(at, bottom);
      pen.lineTo(at + high, top);
    }
    pen.stroke();
    if (wide < end - begin) {
      pen.fillStyle = colours.surface;
      pen.fillRect(middle - wide / 2, top + 4, wide, 16);
      pen.fillStyle = colours.text;
      pen.textAlign = "center";
      pen.fillText(label, middle, top + 16);
    }
    pen.restore();
  }

  // Events of the canvas, by their names

  wheel({ deltaY, offsetX }) {
    this.#zoom(deltaY > 0 ? 1.25 : 0.8, Math.min(1, Math.max(0, this.#chart.share(offsetX))));
  }

  keydown({ key }) {
    if (key === "0") this.#reset();
    else if (key === "-") this.#zoom(1.25);
    else if (key === "ArrowLeft" || key === "ArrowRight") this.#pan(key === "ArrowLeft" ? -0.2 : 0.2);
    else this.#zoom(0.8);
  }

  pointerdown({ pointerId, offsetX, target }) {
    // A press that has ended already cannot be captured.
    try { target.setPointerCapture(pointerId); } catch { return; }
    this.#pointers.set(pointerId, offsetX);
    this.#drag = { x: offsetX, ...this.#chart.window, apart: this.#apart };
  }

  pointermove({ pointerId, offsetX }) {
    const chart = this.#chart, drag = this.#drag;
    if (this.#pointers.has(pointerId)) this.#pointers.set(pointerId, offsetX);
    if (drag && this.#pointers.size === 2 && drag.apart) {
      const length = (drag.to - drag.from) * drag.apart / Math.max(16, this.#apart), middle = (drag.from + drag.to) / 2;
      this.#look(middle - length / 2, middle + length / 2);
    } else if (drag && Math.abs(offsetX - drag.x) > 3) {
      const by = (chart.share(drag.x) - chart.share(offsetX)) * (drag.to - drag.from);
      this.#look(drag.from + by, drag.to + by);
    }
    const { from, to } = chart.window, at = chart.share(offsetX);
    this.#point(at >= 0 && at <= 1 ? from + at * (to - from) : undefined);
  }

  pointerup({ pointerId }) { this.#pointers.delete(pointerId); this.#drag = null; }
  pointercancel(event) { this.pointerup(event); }
  pointerleave() { this.#point(); }
  dblclick() { this.#reset(); }
}
