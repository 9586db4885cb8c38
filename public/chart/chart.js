// Up to six series over time on a canvas; gaps in the connection are hatched.
import { h, setAttribute, setText } from "/lib/dom.js";
import { formatValue } from "/lib/format.js";
import { formatTime } from "/lib/time.js";
import { Looking } from "/chart/looking.js";
import { SteadyRange, binaryStep, byteLabel, digitsOf, niceStep, ticks, timeLabel, timeTicks } from "/chart/scale.js";

const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3], [4, 2], [1, 2]];
const heard = [
  "wheel", "keydown", "pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave", "dblclick",
];
const room = { left: 8, right: 56, top: 8, bottom: 20 };

function palette(element) {
  const style = getComputedStyle(element), of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: of("text-2"), grid: of("hairline"), cursor: of("edge"), surface: of("surface"),
    series: dashes.map((_, i) => of(`series-${i + 1}`)), font: `11px ${of("sans")}`,
  };
}

export class TimeChart {
  /** The visible range: null follows now, `span` ms long. */
  view = null;
  #series; #page; #canvas = h("canvas", { role: "img", tabindex: 0 }); #pen = this.#canvas.getContext("2d");
  #item; #range; #colours; #readouts; #to; #box = {}; #ending = new AbortController();
  #unit; #stepOf; #looking = new Looking(this);
  #tip = h("div", { class: "chart-tip small", hidden: true, "aria-hidden": "true" }); #tipRows;

  /** `series`: `[{ name, unit, ring }]`; `cursor`: shared, at `t`; `now`: the server's time, ms. */
  constructor({ series, span = 300_000, min, max, cursor, page, now = Date.now, title = "", isKiosk = false }) {
    const { signal } = this.#ending, { frame, store } = page, [{ unit }] = series, mark = () => this.mark();
    Object.assign(this, { span, cursor, now, title });
    this.#series = series;
    this.#page = page;
    this.#unit = series.every((each) => each.unit === unit) ? unit : "";
    this.#stepOf = this.#unit === "B" || this.#unit === "B/s" ? binaryStep : niceStep;
    this.#range = new SteadyRange(min, max, this.#stepOf);
    this.#canvas.ariaLabel = title;
    this.#readouts = series.map(() => h("output", { class: "num", "aria-live": "off" }));
    this.#tipRows = series.map(() => h("b", { class: "num" }));
    const named = ({ name }, i, value) => h("li", { dataset: { series: i + 1 } },
      h("i", { class: "swatch" }), h("span", { class: "legend-name", title: name }, name), value);
    const rows = series.map((each, i) => named(each, i, this.#tipRows[i]));
    this.#tip.append(h("time", { class: "num" }), h("ul", {}, rows));
    this.element = h("div", { class: "chart" },
      h("ul", { class: "legend" }, series.map((each, i) => named(each, i, this.#readouts[i]))),
      h("div", { class: "plot" }, this.#canvas, this.#tip));
    if (isKiosk) this.#canvas.removeAttribute("tabindex");
    // A paused chart stands still, but can be examined.
    this.#item = frame.item(this.#canvas, () => this.#draw(), { whilePaused: true });
    store.listen("theme", () => { this.#colours = null; mark(); }, signal);
    frame.tick(mark, signal);
    cursor.addEventListener("move", mark, { signal });
    // Measured while drawing, it would force a layout.
    new ResizeObserver(([{ contentRect: { width, height } }], observer) => {
      if (signal.aborted) return observer.disconnect();
      this.#box = { width: Math.floor(width), height: Math.floor(height) };
      mark();
    }).observe(this.#canvas.parentElement);
    for (const name of isKiosk ? [] : heard) {
      this.#canvas.addEventListener(name, (event) => this.#hear(event), { signal, passive: false });
    }
  }

  mark() { this.#item.mark(); }
  /** With reduced motion, once a second is enough. */
  grow() { if (!this.#page.store.get("reduced") && !this.#page.frame.paused) this.mark(); }
  close() { this.#ending.abort(); this.#item.close(); }

  get window() {
    if (!this.#page.frame.paused || !this.#to) this.#to = this.now();
    return this.view ?? { from: this.#to - this.span, to: this.#to };
  }

  share(x) { return (x - room.left) / Math.max(1, this.#box.width - room.left - room.right); }

  #hear(event) {
    const { type, key, ctrlKey, metaKey, altKey, shiftKey, target } = event;
    if (type === "wheel" || type === "keydown") {
      const isWheel = type === "wheel" && (ctrlKey || shiftKey || document.activeElement === target);
      const isKey = type === "keydown" && !ctrlKey && !metaKey && !altKey && /^([-+=0]|Arrow(Left|Right))$/.test(key);
      if (!isWheel && !isKey) return;
      event.preventDefault();
      event.stopPropagation();
    }
    this.#looking[type](event);
  }

  #draw() {
    const canvas = this.#canvas, pen = this.#pen, range = this.#range, { width, height } = this.#box;
    const ratio = (devicePixelRatio || 1) * (canvas.currentCSSZoom ?? 1);
    if (!(width >= 40 && height >= 40)) return;
    const { from, to } = this.window, { left, top } = room, right = width - room.right, bottom = height - room.bottom;
    const size = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    const extents = this.#series.flatMap(({ ring }) => ring.extent(from, to) ?? []);
    range.fit(extents.length ? [Math.min(...extents), Math.max(...extents)] : null, performance.now());
    const x = (t) => left + (t - from) / (to - from) * (right - left);
    const y = (v) => bottom - (v - range.low) / (range.high - range.low) * (bottom - top);
    const colours = (this.#colours ??= palette(canvas));
    const scene = { pen, colours, left, right, top, bottom, x, y, from, to };
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = colours.font;
    pen.lineWidth = 1;
    const { t } = this.cursor, isPointed = t >= from && t <= to;
    this.#axes(scene, isPointed ? x(t) : -Infinity);
    const gaps = this.#series[0].ring.gaps, known = new Path2D();
    setAttribute(canvas, "data-gaps", gaps.length || null);
    // Values during a gap are unknown: no line is drawn there.
    let edge = left;
    for (const gap of gaps) {
      const begin = Math.max(left, x(gap.from)), end = Math.min(right, x(gap.to));
      if (end - begin < 1) continue;
      this.#looking.hatch(scene, gap, begin, end);
      known.rect(edge, top - 2, begin - edge, bottom - top + 4);
      edge = end;
    }
    known.rect(edge, top - 2, right + 1 - edge, bottom - top + 4);
    pen.save();
    pen.clip(known);
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    this.#series.forEach(({ ring }, i) => {
      pen.strokeStyle = colours.series[i];
      // Dashes of a line that turns at every pixel are invisible and take most of the time.
      pen.setLineDash(ring.count(from, to) > (right - left) / 2 ? [] : dashes[i]);
      pen.beginPath();
      ring.trace(pen, from, to, left, right - left, y);
      pen.stroke();
    });
    pen.restore();
    if (isPointed) this.#point(scene, t);
    const texts = this.#series.map(({ unit, ring }) => {
      const v = ring.at(isPointed ? t : to);
      return v === v ? formatValue(v, unit) : "–";
    });
    texts.forEach((text, i) => setText(this.#readouts[i], text));
    this.#showTip(isPointed && this.cursor.chart === this, x(t), width, t, texts);
    if (!isPointed) this.#looking.describe(canvas, this.#series, from, to);
  }

  /** The line of the shared cursor, a dot on each series, and the time on the axis. */
  #point({ pen, colours, left, right, top, bottom, x, y }, t) {
    const at = Math.round(x(t)) + 0.5;
    pen.fillStyle = colours.cursor;
    pen.fillRect(at - 0.5, top, 1, bottom - top);
    this.#series.forEach(({ ring }, i) => {
      const v = ring.at(t);
      if (v !== v) return;
      pen.beginPath();
      pen.arc(at, y(v), 3.5, 0, 7);
      pen.fillStyle = colours.series[i];
      pen.strokeStyle = colours.surface;
      pen.fill();
      pen.stroke();
    });
    const label = formatTime(t, this.now()), half = pen.measureText(label).width / 2 + 4;
    const middle = Math.min(right - half, Math.max(left + half, at));
    pen.fillStyle = colours.text;
    pen.textBaseline = "alphabetic";
    pen.textAlign = "center";
    pen.fillText(label, middle, bottom + 15);
  }

  /** Time and values beside the pointer, on the side that has room. */
  #showTip(isShown, at, width, t, texts) {
    this.#tip.hidden = !isShown;
    if (!isShown) return;
    setText(this.#tip.firstChild, formatTime(t, this.now()));
    texts.forEach((text, i) => setText(this.#tipRows[i], text));
    this.#tip.style.left = at > width / 2 ? "" : `${at + 12}px`;
    this.#tip.style.right = at > width / 2 ? `${width - at + 12}px` : "";
  }

  /** The times next to the cursor, at `pointed`, give way to its own. */
  #axes({ pen, colours, left, right, top, bottom, x, y, from, to }, pointed) {
    const { low, high } = this.#range, stepOf = this.#stepOf;
    const marks = ticks(low, high, Math.max(2, Math.floor((bottom - top) / 36)), stepOf);
    const apart = marks[1] - marks[0] || 1, digits = digitsOf(apart);
    const label = (mark) => (stepOf === binaryStep ? byteLabel(mark, this.#unit)
      : Math.abs(mark) >= 1e6 || (mark && digits > 6) ? mark.toExponential(1) : mark.toFixed(digits));
    pen.fillStyle = colours.text;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.strokeStyle = colours.grid;
    pen.beginPath();
    for (const mark of marks) {
      const line = Math.round(y(mark)) + 0.5;
      pen.moveTo(left, line);
      pen.lineTo(right, line);
      pen.fillText(label(mark), right + 6, Math.min(line, bottom - 1), room.right - 8);
    }
    pen.stroke();
    const { step, at } = timeTicks(from, to, Math.max(2, Math.floor((right - left) / 90)));
    pen.textBaseline = "alphabetic";
    pen.textAlign = "center";
    for (const t of at) {
      const text = timeLabel(t, step), half = pen.measureText(text).width / 2;
      const isFree = Math.abs(x(t) - pointed) > half + 36;
      if (isFree && x(t) - half >= left && x(t) + half <= right) pen.fillText(text, x(t), bottom + 15);
      pen.fillRect(Math.round(x(t)), bottom, 1, 3);
    }
  }
}
