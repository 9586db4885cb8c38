// Up to six series over time on a canvas; what could not be heard is hatched.
import { h, load, setAttribute, setText } from "/lib/dom.js";
import { formatDuration, formatTime, formatValue } from "/lib/format.js";
import { SteadyRange, binaryStep, digitsOf, niceStep, steps, ticks, timeLabel, timeTicks } from "/chart/model.js";

const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3], [4, 2], [1, 2]];
const room = { left: 8, right: 56, top: 8, bottom: 20 };

function palette(element) {
  const style = getComputedStyle(element), of = (name) => style.getPropertyValue(name).trim();
  return {
    text: of("--text-2"), grid: of("--hairline"), cursor: of("--edge"), surface: of("--surface"),
    series: [1, 2, 3, 4, 5, 6].map((i) => of(`--series-${i}`)), font: `11px ${of("--sans")}`,
  };
}

/** Shared by all charts of a page. */
export class Cursor extends EventTarget {
  t = null;

  move(t) {
    if (t === this.t) return;
    this.t = t;
    this.dispatchEvent(new Event("move"));
  }
}

export class TimeChart {
  /** What is looked at: null follows now, `span` ms long. */
  view = null; span;
  #series; #page; #canvas; #pen; #item; #range; #colours; #readouts = []; #columns; #summary; #summaryAt = 0;
  #box = { width: 0, height: 0 }; #width = 0; #height = 0; #ending = new AbortController(); #unit = "";

  /** `series`: `[{ name, unit, ring }]`; `now`: the server's time, ms. */
  constructor({ series, span = 300_000, min, max, cursor, page, now = Date.now, title = "" }) {
    const { signal } = this.#ending;
    this.#series = series.slice(0, 6);
    this.span = span;
    this.#page = page;
    this.now = now;
    this.cursor = cursor;
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
    this.cursor.addEventListener("move", () => this.mark(), { signal });
    // Asked for while drawing, it would force a layout.
    new ResizeObserver(([{ contentRect }], observer) => {
      if (signal.aborted) return observer.disconnect();
      this.#box = contentRect;
      this.mark();
    }).observe(this.#canvas.parentElement);
    this.#listen(this.#canvas, signal);
  }

  mark() { this.#item.mark(); }
  /** With reduced motion the next second is soon enough. */
  grow() { if (!this.#page.store.get("reduced")) this.#item.mark(); }
  close() { this.#ending.abort(); this.#item.close(); }

  get #stepOf() { return this.#unit === "B" || this.#unit === "B/s" ? binaryStep : niceStep; }

  get window() {
    const to = this.now();
    return this.view ?? { from: to - this.span, to };
  }

  /** From 0 at the beginning to 1. */
  share(x) { return (x - room.left) / Math.max(1, this.#width - room.left - room.right); }

  /** Loaded by the first event that asks for it; none is lost. */
  #listen(canvas, signal) {
    let looking;
    const takes = ({ type, key, ctrlKey, metaKey, shiftKey }) =>
      type === "wheel" ? ctrlKey || shiftKey || document.activeElement === canvas : type === "keydown" && !ctrlKey && !metaKey && /^([-+=0]|Arrow(Left|Right))$/.test(key);
    const hear = async (event) => {
      const isTaken = takes(event);
      if (/^(wheel|keydown)$/.test(event.type)) {
        if (!isTaken) return;
        event.preventDefault();
        event.stopPropagation();
      }
      // Not known any more once the event is over.
      const { type, key, pointerId, offsetX, deltaY, target } = event;
      looking ??= load("/chart/looking.js").then(({ Looking }) => new Looking(this));
      (await looking)[type]({ key, pointerId, offsetX, deltaY, target });
    };
    for (const name of ["wheel", "keydown", "pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave", "dblclick"]) {
      canvas.addEventListener(name, (event) => hear(event).catch(() => (looking = null)), { signal, passive: false });
    }
  }

  #draw() {
    const width = Math.floor(this.#box.width), height = Math.floor(this.#box.height), ratio = devicePixelRatio || 1;
    if (width < 40 || height < 40) return;
    if (width !== this.#width || height !== this.#height || this.#canvas.width !== Math.round(width * ratio)) {
      this.#width = width;
      this.#height = height;
      this.#canvas.width = Math.round(width * ratio);
      this.#canvas.height = Math.round(height * ratio);
      this.#columns = new Float64Array(4 * width + 8);
    }
    const pen = this.#pen, colours = (this.#colours ??= palette(this.#canvas)), { from, to } = this.window;
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
    const t = this.cursor.t;
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
      const label = `disconnected ${formatDuration(Math.round((Math.min(gap.to, this.now()) - gap.from) / 1000) * 1000)}`;
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
    const held = steps(pen, all, count, plot.x, y);
    // It holds until now or the loss.
    const open = ring.gaps.at(-1), until = Math.min(to, open?.to === Infinity ? Math.max(open.from, ring.last) : to, this.now());
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
      const { from, to } = this.window, extent = ring.extent(from, to), v = ring.at(t);
      return extent ? `${name} ${formatValue(v, unit)}, between ${formatValue(extent[0], unit)} and ${formatValue(extent[1], unit)}` : `${name}: no values yet`;
    });
    const summary = `${this.title ? `${this.title}: ` : ""}${words.join("; ")}, over ${formatDuration(this.window.to - this.window.from)} until ${formatTime(t)}`;
    if (summary !== this.#summary) this.#canvas.setAttribute("aria-label", (this.#summary = summary));
  }
}
