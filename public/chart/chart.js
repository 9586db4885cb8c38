// Up to six series over time on a canvas; what could not be heard is hatched.
import { h, load, setAttribute, setText } from "../lib/dom.js";
import { formatValue } from "../lib/format.js";

/** The least of 1, 2, 5 × 10^n that is at least `size`. */
export function niceStep(size) {
  if (!(size > 0) || !Number.isFinite(size)) return 1;
  const power = 10 ** Math.floor(Math.log10(size)), part = size / power;
  return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

export function binaryStep(size) {
  if (!(size > 1)) return 1;
  const power = 1024 ** Math.floor(Math.log(size) / Math.log(1024) + 1e-9);
  return power * Math.min(1024, niceStep(size / power));
}

export function ticks(low, high, count, stepOf = niceStep) {
  const step = stepOf((high - low) / Math.max(1, count)), all = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9 && all.length < 100; i++) all.push(i * step);
  return all;
}

export const digitsOf = (step) => Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));

const minute = 60e3, day = 1440 * minute;
const timeSteps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800].map((each) => each * 1000);
const zone = (t) => new Date(t).getTimezoneOffset() * minute;

/** Round times of the day, at most `count`: `{ step, at: [ms] }`. */
export function timeTicks(from, to, count) {
  const step = timeSteps.find((each) => (to - from) / each <= count) ?? Math.ceil((to - from) / day / count) * day, shift = zone(from), at = [];
  for (let t = Math.ceil((from - shift) / step) * step + shift; t <= to && at.length < 100; t += step) at.push(t);
  return { step, at };
}

export function timeLabel(t, step) {
  const text = new Date(t - zone(t)).toISOString();
  return step >= day ? text.slice(0, 10) : text.slice(11, step >= minute ? 16 : step >= 1000 ? 19 : 21);
}

/** A round range that grows at once, and shrinks when less than half of it was used for ten seconds. */
export class SteadyRange {
  #idle = 0;

  constructor(fixedLow, fixedHigh, stepOf = niceStep) { Object.assign(this, { fixedLow, fixedHigh, stepOf }); }

  fit(extent, now) {
    const { low, high, fixedLow, fixedHigh } = this, [least, most] = extent ?? [fixedLow ?? low ?? 0, fixedHigh ?? high ?? 1];
    let from = fixedLow ?? least, to = fixedHigh ?? most;
    if (to <= from) {
      const room = Math.abs(from) * 0.05 || 1;
      from -= room;
      to += room;
    }
    const step = this.stepOf((to - from) / 4), holds = low <= least && high >= most;
    from = Math.floor(from / step + 1e-9) * step;
    to = Math.ceil(to / step - 1e-9) * step;
    if (!holds || to - from >= (high - low) / 2) this.#idle = 0;
    else this.#idle ||= now;
    if (holds && !(this.#idle && now - this.#idle > 10_000)) return;
    this.#idle = 0;
    this.low = fixedLow ?? (holds ? from : Math.min(from, low ?? from));
    this.high = fixedHigh ?? (holds ? to : Math.max(to, high ?? to));
    if (this.high <= this.low) this.high = this.low + 1;
  }
}

const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3], [4, 2], [1, 2]];
const room = { left: 8, right: 56, top: 8, bottom: 20 };

function palette(element) {
  const style = getComputedStyle(element), of = (name) => style.getPropertyValue(`--${name}`).trim();
  return { text: of("text-2"), grid: of("hairline"), cursor: of("edge"), surface: of("surface"), series: dashes.map((_, i) => of(`series-${i + 1}`)), font: `11px ${of("sans")}` };
}

export class TimeChart {
  /** What is looked at: null follows now, `span` ms long. */
  view = null;
  #series; #page; #canvas = h("canvas", { role: "img", tabindex: 0 }); #pen = this.#canvas.getContext("2d"); #item; #range; #colours; #readouts; #to;
  #box = {}; #ending = new AbortController(); #unit; #stepOf;

  /** `series`: `[{ name, unit, ring }]`; `cursor`: shared, at `t`; `now`: the server's time, ms. */
  constructor({ series, span = 300_000, min, max, cursor, page, now = Date.now, title = "" }) {
    const { signal } = this.#ending, { frame, store } = page, [{ unit }] = series, mark = () => this.mark();
    Object.assign(this, { span, cursor, now, title });
    this.#series = series;
    this.#page = page;
    this.#unit = series.every((each) => each.unit === unit) ? unit : "";
    this.#stepOf = this.#unit === "B" || this.#unit === "B/s" ? binaryStep : niceStep;
    this.#range = new SteadyRange(min, max, this.#stepOf);
    this.#canvas.ariaLabel = title;
    this.#readouts = this.#series.map(() => h("output", { class: "num mono", "aria-live": "off" }));
    this.element = h("div", { class: "chart" },
      h("ul", { class: "legend" }, this.#series.map(({ name }, i) =>
        h("li", { dataset: { series: i + 1 } }, h("i", { class: "swatch" }), h("span", { class: "legend-name" }, name), this.#readouts[i]))),
      h("div", { class: "plot" }, this.#canvas));
    // A paused display stands still, but can be looked into.
    this.#item = frame.item(this.#canvas, () => this.#draw(), { whilePaused: true });
    store.listen("theme", () => { this.#colours = null; mark(); }, signal);
    frame.tick(mark, signal);
    cursor.addEventListener("move", mark, { signal });
    // Asked for while drawing, it would force a layout.
    new ResizeObserver(([{ contentRect: { width, height } }], observer) => {
      if (signal.aborted) return observer.disconnect();
      this.#box = { width: Math.floor(width), height: Math.floor(height) };
      mark();
    }).observe(this.#canvas.parentElement);
    for (const name of ["wheel", "keydown", "pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave", "dblclick"]) {
      this.#canvas.addEventListener(name, (event) => this.#hear(event), { signal, passive: false });
    }
    // Once the server has gone it is too late.
    store.listen("present", (isPresent) => isPresent && this.#closer().catch(() => {}), signal);
  }

  mark() { this.#item.mark(); }
  /** With reduced motion the next second is soon enough. */
  grow() { if (!this.#page.store.get("reduced") && !this.#page.frame.paused) this.mark(); }
  close() { this.#ending.abort(); this.#item.close(); }

  get window() {
    if (!this.#page.frame.paused || !this.#to) this.#to = this.now();
    return this.view ?? { from: this.#to - this.span, to: this.#to };
  }

  share(x) { return (x - room.left) / Math.max(1, this.#box.width - room.left - room.right); }

  #looking;

  async #closer() {
    const { Looking } = await load("/chart/looking.js");
    return (this.#looking ??= new Looking(this));
  }

  /** No event is lost. */
  async #hear(event) {
    // Not known any more once the event is over.
    const { type, key, ctrlKey, metaKey, altKey, shiftKey, pointerId, offsetX, deltaY, target } = event;
    if (type === "wheel" || type === "keydown") {
      const isOurs = type === "wheel" ? ctrlKey || shiftKey || document.activeElement === target : !ctrlKey && !metaKey && !altKey && /^([-+=0]|Arrow(Left|Right))$/.test(key);
      if (!isOurs) return;
      event.preventDefault();
      event.stopPropagation();
    }
    try {
      (await this.#closer())[type]({ key, pointerId, offsetX, deltaY, target });
    } catch { /* the next one asks again */ }
  }

  #draw() {
    const canvas = this.#canvas, pen = this.#pen, range = this.#range, { width, height } = this.#box, ratio = devicePixelRatio || 1;
    if (!(width >= 40 && height >= 40)) return;
    const { from, to } = this.window, { left, top } = room, right = width - room.right, bottom = height - room.bottom;
    const size = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    const extents = this.#series.flatMap(({ ring }) => ring.extent(from, to) ?? []);
    range.fit(extents.length ? [Math.min(...extents), Math.max(...extents)] : null, performance.now());
    const x = (t) => left + (t - from) / (to - from) * (right - left), y = (v) => bottom - (v - range.low) / (range.high - range.low) * (bottom - top);
    const colours = (this.#colours ??= palette(canvas)), scene = { pen, colours, left, right, top, bottom, x, y, from, to };
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = colours.font;
    pen.lineWidth = 1;
    this.#axes(scene);
    const gaps = this.#series[0].ring.gaps, heard = new Path2D();
    setAttribute(canvas, "data-gaps", gaps.length || null);
    // Nobody knows what was while nothing was heard: no line goes there.
    let edge = left;
    for (const gap of gaps) {
      const begin = Math.max(left, x(gap.from)), end = Math.min(right, x(gap.to));
      if (end - begin < 1) continue;
      this.#looking?.hatch(scene, gap, begin, end);
      heard.rect(edge, top - 2, begin - edge, bottom - top + 4);
      edge = end;
    }
    heard.rect(edge, top - 2, right + 1 - edge, bottom - top + 4);
    pen.save();
    pen.clip(heard);
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    this.#series.forEach(({ ring }, i) => {
      pen.strokeStyle = colours.series[i];
      pen.setLineDash(dashes[i]);
      pen.beginPath();
      ring.trace(pen, from, to, left, right - left, y);
      pen.stroke();
    });
    pen.restore();
    const { t } = this.cursor, isPointed = t >= from && t <= to;
    if (isPointed) {
      pen.fillStyle = colours.cursor;
      pen.fillRect(Math.round(x(t)), top, 1, bottom - top);
    }
    this.#series.forEach(({ unit, ring }, i) => {
      const v = ring.at(isPointed ? t : to);
      setText(this.#readouts[i], v === v ? formatValue(v, unit) : "–");
    });
    if (!isPointed) this.#looking?.describe(canvas, this.#series, from, to);
  }

  #axes({ pen, colours, left, right, top, bottom, x, y, from, to }) {
    const { low, high } = this.#range, stepOf = this.#stepOf, marks = ticks(low, high, Math.max(2, Math.floor((bottom - top) / 36)), stepOf), digits = digitsOf(marks[1] - marks[0] || 1);
    pen.fillStyle = colours.text;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.strokeStyle = colours.grid;
    pen.beginPath();
    for (const mark of marks) {
      const line = Math.round(y(mark)) + 0.5;
      pen.moveTo(left, line);
      pen.lineTo(right, line);
      pen.fillText(stepOf === binaryStep ? formatValue(mark, this.#unit).replace(".0 ", " ") : Math.abs(mark) >= 1e6 || (mark && digits > 6) ? mark.toExponential(1) : mark.toFixed(digits),
        right + 6, Math.min(line, bottom - 1), room.right - 8);
    }
    pen.stroke();
    const { step, at } = timeTicks(from, to, Math.max(2, Math.floor((right - left) / 90)));
    pen.textBaseline = "alphabetic";
    pen.textAlign = "center";
    for (const t of at) {
      const label = timeLabel(t, step), half = pen.measureText(label).width / 2;
      if (x(t) - half >= left && x(t) + half <= right) pen.fillText(label, x(t), bottom + 15);
      pen.fillRect(Math.round(x(t)), bottom, 1, 3);
    }
  }
}
