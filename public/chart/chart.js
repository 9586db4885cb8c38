// Values over time on a canvas: up to six series, told apart by colour and dash; the right edge follows now. What holds is
// drawn as steps, because a value holds until the next; what could not be heard is hatched.
import { h, setAttribute, setText } from "/lib/dom.js";
import { formatDuration, formatTime, formatValue } from "/lib/format.js";
import { SteadyRange, binaryStep, digitsOf, niceStep, ticks, timeLabel, timeTicks } from "/chart/scale.js";

export const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3], [4, 2], [1, 2]];
const room = { left: 8, right: 56, top: 8, bottom: 20 };
const spans = [10e3, 24 * 3600e3];

/** The colours of the page's tokens, read again when the theme changes. */
function palette(element) {
  const style = getComputedStyle(element), of = (name) => style.getPropertyValue(name).trim();
  return {
    text: of("--text-2"), strong: of("--text"), grid: of("--hairline"), cursor: of("--edge"), surface: of("--surface"),
    series: [1, 2, 3, 4, 5, 6].map((i) => of(`--series-${i}`)), font: `11px ${of("--sans")}`,
  };
}

export class TimeChart {
  #series; #span; #page; #canvas; #pen; #item; #cursor; #range; #colours; #readouts = []; #columns; #summary; #summaryAt = 0;
  #view = null; #width = 0; #height = 0; #ending = new AbortController(); #drag = null; #pointers = new Map(); #now; #unit = "";

  /**
   * `series`: `[{ name, unit, ring }]`; `page`: the page's `{ frame, store, announce }`; `now`: the server's time, ms.
   */
  constructor({ series, span = 300_000, min, max, cursor, page, now = Date.now, title = "" }) {
    const { signal } = this.#ending;
    this.#series = series.slice(0, 6);
    this.#span = span;
    this.#page = page;
    this.#now = now;
    this.#cursor = cursor;
    const units = new Set(this.#series.map(({ unit }) => unit));
    this.#unit = units.size === 1 ? this.#series[0].unit : "";
    this.#range = new SteadyRange(min, max, this.#stepOf);
    this.title = title;
    this.#canvas = h("canvas", { role: "img", tabindex: 0, "aria-label": title });
    this.#pen = this.#canvas.getContext("2d", { alpha: true });
    this.#summary = title;
    this.element = h("div", { class: "chart" }, h("ul", { class: "legend" }, this.#series.map((each, i) => {
      const value = h("output", { class: "num mono" });
      this.#readouts.push(value);
      return h("li", { dataset: { series: i + 1 } }, h("i", { class: "swatch" }), h("span", { class: "legend-name" }, each.name), value);
    })), h("div", { class: "plot" }, this.#canvas));
    this.#item = page.frame.item(this.#canvas, () => this.#draw());
    page.store.listen("theme", () => { this.#colours = null; this.mark(); }, signal);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.#colours = null; this.mark(); }, { signal });
    page.frame.tick(() => this.mark(), signal);
    this.#cursor.addEventListener("move", () => this.mark(), { signal });
    new ResizeObserver((_, observer) => (signal.aborted ? observer.disconnect() : this.mark())).observe(this.#canvas.parentElement);
    this.#listen(signal);
  }

  /** Something has changed; with reduced motion the next second is soon enough. */
  mark() { this.#item.mark(); }
  /** New points came. */
  grow() { if (!this.#page.store.get("reduced")) this.#item.mark(); }
  close() { this.#ending.abort(); this.#item.close(); }

  get #stepOf() { return this.#unit === "B" || this.#unit === "B/s" ? binaryStep : niceStep; }

  get #window() {
    if (this.#view) return this.#view;
    const to = this.#now();
    return { from: to - this.#span, to };
  }

  // Looking closer

  /** Keeps `at` (0…1 of the width) where it is and makes the window `factor` times as long. */
  zoom(factor, at = 1) {
    const { from, to } = this.#window, length = Math.min(spans[1], Math.max(spans[0], (to - from) * factor));
    const fixed = from + (to - from) * at;
    if (!this.#view && at === 1) this.#span = length;
    else this.#look(fixed - length * at, fixed + length * (1 - at));
    this.mark();
  }

  pan(share) {
    const { from, to } = this.#window, by = (to - from) * share;
    this.#look(from + by, to + by);
  }

  reset() { this.#view = null; this.mark(); }

  #look(from, to) {
    // Having come to now again, it follows now.
    if (to >= this.#now()) { this.#span = to - from; this.#view = null; } else this.#view = { from, to };
    this.mark();
  }

  #listen(signal) {
    const canvas = this.#canvas, on = (name, act, options) => canvas.addEventListener(name, act, { signal, ...options });
    const share = (event) => (event.offsetX - room.left) / Math.max(1, this.#width - room.left - room.right);
    on("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey && document.activeElement !== canvas) return;
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, Math.min(1, Math.max(0, share(event))));
    }, { passive: false });
    on("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, event.offsetX);
      this.#drag = { x: event.offsetX, ...this.#window, apart: this.#apart };
    });
    on("pointermove", (event) => {
      if (this.#pointers.has(event.pointerId)) this.#pointers.set(event.pointerId, event.offsetX);
      const width = this.#width - room.left - room.right;
      if (this.#drag && this.#pointers.size === 2 && this.#drag.apart) {
        const { from, to } = this.#drag, length = (to - from) * this.#drag.apart / Math.max(16, this.#apart), middle = (from + to) / 2;
        this.#look(middle - length / 2, middle + length / 2);
      } else if (this.#drag && Math.abs(event.offsetX - this.#drag.x) > 3) {
        const by = (this.#drag.x - event.offsetX) / width * (this.#drag.to - this.#drag.from);
        this.#look(this.#drag.from + by, this.#drag.to + by);
      }
      const { from, to } = this.#window, at = share(event);
      this.#cursor.move(at >= 0 && at <= 1 ? from + at * (to - from) : null);
    });
    const up = (event) => { this.#pointers.delete(event.pointerId); this.#drag = null; };
    on("pointerup", up);
    on("pointercancel", up);
    on("pointerleave", () => this.#cursor.move(null));
    on("dblclick", () => this.reset());
    on("keydown", (event) => {
      const act = {
        "+": () => this.zoom(0.8), "=": () => this.zoom(0.8), "-": () => this.zoom(1.25), 0: () => this.reset(),
        ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2),
      }[event.key];
      if (!act || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    });
  }

  get #apart() {
    const [a, b] = [...this.#pointers.values()];
    return b === undefined ? 0 : Math.abs(a - b);
  }

  // Drawing

  #draw() {
    const box = this.#canvas.parentElement, width = box.clientWidth, height = box.clientHeight, ratio = devicePixelRatio || 1;
    if (width < 40 || height < 40) return;
    if (width !== this.#width || height !== this.#height || this.#canvas.width !== Math.round(width * ratio)) {
      this.#width = width;
      this.#height = height;
      this.#canvas.width = Math.round(width * ratio);
      this.#canvas.height = Math.round(height * ratio);
      this.#columns = new Float64Array(4 * width + 8);
    }
    const pen = this.#pen, colours = (this.#colours ??= palette(this.#canvas)), { from, to } = this.#window;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = colours.font;
    let extent = null;
    for (const { ring } of this.#series) {
      const own = ring.extent(from, to);
      if (own) extent = extent ? [Math.min(extent[0], own[0]), Math.max(extent[1], own[1])] : own;
    }
    this.#range.fit(extent, performance.now());
    const plot = { x: room.left, y: room.top, w: width - room.left - room.right, h: height - room.top - room.bottom };
    const x = (t) => plot.x + (t - from) / (to - from) * plot.w;
    const y = (v) => plot.y + plot.h - (v - this.#range.low) / (this.#range.high - this.#range.low) * plot.h;
    this.#axes(pen, colours, plot, x, y, from, to);
    this.#gaps(pen, colours, plot, x, from, to);
    pen.save();
    pen.beginPath();
    pen.rect(plot.x, plot.y - 2, plot.w + 1, plot.h + 4);
    pen.clip();
    this.#series.forEach((each, i) => this.#line(pen, each.ring, colours.series[i], dashes[i], plot, y, from, to));
    pen.restore();
    const t = this.#cursor.t;
    if (t !== null && t >= from && t <= to) {
      pen.strokeStyle = colours.cursor;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(Math.round(x(t)) + 0.5, plot.y);
      pen.lineTo(Math.round(x(t)) + 0.5, plot.y + plot.h);
      pen.stroke();
    }
    setAttribute(this.#canvas, "data-gaps", this.#series[0]?.ring.gaps.length || null);
    this.#read(t !== null && t >= from && t <= to ? t : to, t);
  }

  #axes(pen, colours, plot, x, y, from, to) {
    const { low, high } = this.#range, marks = ticks(low, high, Math.max(2, Math.floor(plot.h / 36)), this.#stepOf);
    const digits = digitsOf(marks.length > 1 ? marks[1] - marks[0] : 1), isBytes = this.#stepOf === binaryStep;
    pen.lineWidth = 1;
    pen.strokeStyle = colours.grid;
    pen.fillStyle = colours.text;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.beginPath();
    for (const mark of marks) {
      const line = Math.round(y(mark)) + 0.5;
      pen.moveTo(plot.x, line);
      pen.lineTo(plot.x + plot.w, line);
      pen.fillText(isBytes ? formatValue(mark, this.#unit).replace(/\.0 /, " ") : Math.abs(mark) >= 1e6 || (mark && digits > 6) ? mark.toExponential(1) : mark.toFixed(digits),
        plot.x + plot.w + 6, Math.min(line, plot.y + plot.h - 1), room.right - 8);
    }
    pen.stroke();
    const { step, at } = timeTicks(from, to, Math.max(2, Math.floor(plot.w / 90)));
    pen.textBaseline = "alphabetic";
    pen.textAlign = "center";
    for (const t of at) {
      const place = x(t), label = timeLabel(t, step), half = pen.measureText(label).width / 2;
      if (place - half >= plot.x && place + half <= plot.x + plot.w) pen.fillText(label, place, plot.y + plot.h + 15);
      pen.fillRect(Math.round(place), plot.y + plot.h, 1, 3);
    }
  }

  #gaps(pen, colours, plot, x, from, to) {
    const all = this.#series[0]?.ring.gaps ?? [];
    for (const gap of all) {
      const left = Math.max(plot.x, x(Math.max(gap.from, from))), right = Math.min(plot.x + plot.w, x(Math.min(gap.to, to)));
      if (right - left < 1) continue;
      pen.save();
      pen.beginPath();
      pen.rect(left, plot.y, right - left, plot.h);
      pen.clip();
      pen.strokeStyle = colours.grid;
      pen.lineWidth = 1;
      pen.beginPath();
      for (let at = left - plot.h; at < right; at += 8) {
        pen.moveTo(at, plot.y + plot.h);
        pen.lineTo(at + plot.h, plot.y);
      }
      pen.stroke();
      const label = `disconnected ${formatDuration(Math.round((Math.min(gap.to, this.#now()) - gap.from) / 1000) * 1000)}`;
      if (pen.measureText(label).width + 8 < right - left) {
        pen.fillStyle = colours.surface;
        const wide = pen.measureText(label).width + 8;
        pen.fillRect((left + right - wide) / 2, plot.y + 4, wide, 16);
        pen.fillStyle = colours.text;
        pen.textAlign = "center";
        pen.textBaseline = "middle";
        pen.fillText(label, (left + right) / 2, plot.y + 12);
      }
      pen.restore();
    }
  }

  #line(pen, ring, colour, dash, plot, y, from, to) {
    const width = Math.max(1, Math.floor(plot.w)), count = ring.columns(from, to, width, this.#columns), all = this.#columns;
    if (!count) return;
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    pen.setLineDash(dash);
    pen.beginPath();
    let held = NaN;
    for (let i = 0; i < count; i++) {
      const column = plot.x + all[4 * i] + 0.5, low = all[4 * i + 1], high = all[4 * i + 2], last = all[4 * i + 3];
      if (held === held) pen.lineTo(column, y(held));
      if (last === last) {
        if (held !== held) pen.moveTo(column, y(low));
        pen.lineTo(column, y(low));
        if (high !== low) pen.lineTo(column, y(high));
        pen.lineTo(column, y(last));
      }
      held = last;
    }
    // What holds, holds until now or until the connection was lost.
    const open = ring.gaps.at(-1), until = Math.min(to, open?.to === Infinity ? Math.max(open.from, ring.last) : to, this.#now());
    if (held === held) pen.lineTo(plot.x + Math.max(0, (until - from) / (to - from)) * plot.w, y(held));
    pen.stroke();
    pen.setLineDash([]);
  }

  #read(t, pointed) {
    this.#series.forEach(({ ring, unit }, i) => {
      const v = ring.at(t);
      setText(this.#readouts[i], v === v ? formatValue(v, unit) : "–");
    });
    if (performance.now() - this.#summaryAt < 10_000 || pointed !== null) return;
    this.#summaryAt = performance.now();
    const words = this.#series.map(({ name, unit, ring }) => {
      const { from, to } = this.#window, extent = ring.extent(from, to), v = ring.at(t);
      return extent ? `${name} ${formatValue(v, unit)}, between ${formatValue(extent[0], unit)} and ${formatValue(extent[1], unit)}` : `${name}: no values yet`;
    });
    const summary = `${this.title ? `${this.title}: ` : ""}${words.join("; ")}, over ${formatDuration(this.#window.to - this.#window.from)} until ${formatTime(t)}`;
    if (summary !== this.#summary) this.#canvas.setAttribute("aria-label", (this.#summary = summary));
  }
}
