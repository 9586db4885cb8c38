// Up to six series over time on a canvas; what could not be heard is hatched.
import { h, load, setAttribute, setText } from "../lib/dom.js";
import { formatDuration, formatTime, formatValue } from "../lib/format.js";

// The scales; pure

/** The least of 1, 2, 5 × 10^n that is at least `size`. */
export function niceStep(size) {
  if (!(size > 0) || !Number.isFinite(size)) return 1;
  const power = 10 ** Math.floor(Math.log10(size)), part = size / power;
  return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

/** The same of a KiB, MiB, GiB. */
export function binaryStep(size) {
  if (!(size > 1)) return 1;
  const power = 1024 ** Math.floor(Math.log(size) / Math.log(1024) + 1e-9);
  return power * Math.min(1024, niceStep(size / power));
}

/** About `count` round numbers. */
export function ticks(low, high, count, stepOf = niceStep) {
  const step = stepOf((high - low) / Math.max(1, count)), all = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9 && all.length < 100; i++) all.push(i * step);
  return all;
}

/** Digits after the point. */
export const digitsOf = (step) => Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));

const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;
const timeSteps = [
  100, 200, 500, second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second, minute, 2 * minute, 5 * minute,
  10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day,
];

/** Round times of the day, at most `count`: `{ step, at: [ms] }`. */
export function timeTicks(from, to, count) {
  const step = timeSteps.find((each) => (to - from) / each <= Math.max(1, count)) ?? Math.ceil((to - from) / day / count) * day;
  const shift = new Date(from).getTimezoneOffset() * minute, at = [];
  for (let t = Math.ceil((from - shift) / step) * step + shift; t <= to && at.length < 100; t += step) at.push(t);
  return { step, at };
}

export function timeLabel(t, step) {
  const date = new Date(t), two = (number) => String(number).padStart(2, "0");
  if (step >= day) return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const hours = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (step >= minute) return hours;
  return `${hours}:${two(date.getSeconds())}${step < second ? `.${Math.floor(date.getMilliseconds() / 100)}` : ""}`;
}

/** A round range that grows at once, and shrinks when less than half of it was used for ten seconds. */
export class SteadyRange {
  low; high;
  #idle = 0;
  #fixedLow; #fixedHigh; #stepOf;

  constructor(fixedLow, fixedHigh, stepOf = niceStep) {
    this.#fixedLow = fixedLow;
    this.#fixedHigh = fixedHigh;
    this.#stepOf = stepOf;
  }

  /** Takes the extent of what is shown, or null. */
  fit(extent, now) {
    const { low, high } = this;
    extent ??= [this.#fixedLow ?? low ?? 0, this.#fixedHigh ?? high ?? 1];
    const [from, to] = round(this.#fixedLow ?? extent[0], this.#fixedHigh ?? extent[1], this.#stepOf);
    const holds = low !== undefined && low <= extent[0] && high >= extent[1];
    const used = holds ? (to - from) / (high - low) : 1;
    if (holds && used >= 0.5) this.#idle = 0;
    else if (holds && !this.#idle) this.#idle = now;
    if (low === undefined || !holds || (this.#idle && now - this.#idle > 10_000)) {
      this.#idle = 0;
      this.low = this.#fixedLow ?? (holds || low === undefined ? from : Math.min(from, low));
      this.high = this.#fixedHigh ?? (holds || high === undefined ? to : Math.max(to, high));
      if (this.high <= this.low) this.high = this.low + 1;
    }
  }
}

function round(low, high, stepOf) {
  if (high <= low) {
    const room = Math.abs(low) * 0.05 || 1;
    [low, high] = [low - room, high + room];
  }
  const step = stepOf((high - low) / 4);
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}

// The picture

const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3], [4, 2], [1, 2]];
const format = (v, unit) => (v === v ? formatValue(v, unit) : "–");
const room = { left: 8, right: 56, top: 8, bottom: 20 };

function palette(element) {
  const style = getComputedStyle(element), of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: of("text-2"), grid: of("hairline"), cursor: of("edge"), surface: of("surface"),
    series: dashes.map((_, i) => of(`series-${i + 1}`)), font: `11px ${of("sans")}`,
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
  #series; #page; #canvas; #pen; #item; #range; #colours; #readouts; #nextSummary = 0; #to;
  #box = { width: 0, height: 0 }; #ending = new AbortController(); #unit; #stepOf;

  /** `series`: `[{ name, unit, ring }]`; `now`: the server's time, ms. */
  constructor({ series, span = 300_000, min, max, cursor, page, now = Date.now, title = "" }) {
    const { signal } = this.#ending, mark = () => this.mark();
    this.#series = series.slice(0, 6);
    this.span = span;
    this.#page = page;
    this.now = now;
    this.cursor = cursor;
    this.title = title;
    const [{ unit } = {}] = this.#series;
    this.#unit = this.#series.every((each) => each.unit === unit) ? unit : "";
    this.#stepOf = this.#unit === "B" || this.#unit === "B/s" ? binaryStep : niceStep;
    this.#range = new SteadyRange(min, max, this.#stepOf);
    this.#canvas = h("canvas", { role: "img", tabindex: 0, "aria-label": title });
    this.#pen = this.#canvas.getContext("2d");
    this.#readouts = this.#series.map(() => h("output", { class: "num mono", "aria-live": "off" }));
    this.element = h("div", { class: "chart" },
      h("ul", { class: "legend" }, this.#series.map(({ name }, i) =>
        h("li", { dataset: { series: i + 1 } }, h("i", { class: "swatch" }), h("span", { class: "legend-name" }, name), this.#readouts[i]))),
      h("div", { class: "plot" }, this.#canvas));
    // What is looked at stands still while the display is paused, and can be looked into all the same.
    this.#item = page.frame.item(this.#canvas, () => this.#draw(), { whilePaused: true });
    const repaint = () => { this.#colours = null; mark(); };
    page.store.listen("theme", repaint, signal);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint, { signal });
    page.frame.tick(mark, signal);
    cursor.addEventListener("move", mark, { signal });
    // Asked for while drawing, it would force a layout.
    new ResizeObserver(([{ contentRect }], observer) => {
      if (signal.aborted) return observer.disconnect();
      this.#box = { width: Math.floor(contentRect.width), height: Math.floor(contentRect.height) };
      mark();
    }).observe(this.#canvas.parentElement);
    this.#listen(this.#canvas, signal);
  }

  mark() { this.#item.mark(); }
  /** With reduced motion the next second is soon enough. */
  grow() { if (!this.#page.store.get("reduced") && !this.#page.frame.paused) this.mark(); }
  close() { this.#ending.abort(); this.#item.close(); }

  get window() {
    if (!this.#page.frame.paused) this.#to = this.now();
    return this.view ?? { from: this.#to - this.span, to: this.#to };
  }

  /** From 0 at the beginning to 1. */
  share(x) { return (x - room.left) / Math.max(1, this.#box.width - room.left - room.right); }

  /** Loaded by the first event that asks for it; none is lost. */
  #listen(canvas, signal) {
    let mine;
    const hear = async (event) => {
      // Not known any more once the event is over.
      const { type, key, ctrlKey, metaKey, altKey, shiftKey, pointerId, offsetX, deltaY, target } = event;
      if (type === "wheel" || type === "keydown") {
        const isTaken = type === "wheel" ? ctrlKey || shiftKey || document.activeElement === canvas
          : !ctrlKey && !metaKey && !altKey && /^([-+=0]|Arrow(Left|Right))$/.test(key);
        if (!isTaken) return;
        event.preventDefault();
        event.stopPropagation();
      }
      const { Looking } = await load("/chart/looking.js");
      (mine ??= new Looking(this))[type]({ key, pointerId, offsetX, deltaY, target });
    };
    for (const name of ["wheel", "keydown", "pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave", "dblclick"]) {
      canvas.addEventListener(name, (event) => hear(event).catch(() => { /* the next one asks again */ }), { signal, passive: false });
    }
  }

  #draw() {
    const canvas = this.#canvas, { width, height } = this.#box, ratio = devicePixelRatio || 1, wide = Math.round(width * ratio), high = Math.round(height * ratio);
    if (width < 40 || height < 40) return;
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
    }
    const range = this.#range, { from, to } = this.window, { left, top } = room, right = width - room.right, bottom = height - room.bottom;
    const extents = this.#series.map(({ ring }) => ring.extent(from, to)).filter(Boolean);
    range.fit(extents.length ? [Math.min(...extents.map(([low]) => low)), Math.max(...extents.map(([, high]) => high))] : null, performance.now());
    const x = (t) => left + (t - from) / (to - from) * (right - left), y = (v) => bottom - (v - range.low) / (range.high - range.low) * (bottom - top);
    const pen = this.#pen, colours = (this.#colours ??= palette(canvas)), scene = { pen, colours, left, right, top, bottom, x, y, from, to };
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = colours.font;
    pen.lineWidth = 1;
    this.#axes(scene);
    const gaps = this.#series[0]?.ring.gaps ?? [];
    setAttribute(canvas, "data-gaps", gaps.length || null);
    // Nobody knows what was while nothing was heard: no line goes there.
    const heard = new Path2D();
    let edge = left;
    for (const gap of gaps) {
      const begin = Math.max(left, x(gap.from)), end = Math.min(right, x(gap.to));
      if (end - begin < 1) continue;
      this.#hatch(scene, gap, begin, end);
      heard.rect(edge, top - 2, begin - edge, bottom - top + 4);
      edge = end;
    }
    heard.rect(edge, top - 2, right + 1 - edge, bottom - top + 4);
    pen.save();
    pen.clip(heard);
    this.#series.forEach(({ ring }, i) => this.#line(scene, ring, i));
    pen.restore();
    const { t } = this.cursor, isPointed = t !== null && t >= from && t <= to;
    if (isPointed) {
      pen.fillStyle = colours.cursor;
      pen.fillRect(Math.round(x(t)), top, 1, bottom - top);
    }
    this.#read(isPointed ? t : to, isPointed);
  }

  #axes({ pen, colours, left, right, top, bottom, x, y, from, to }) {
    const { low, high } = this.#range, unit = this.#unit, marks = ticks(low, high, Math.max(2, Math.floor((bottom - top) / 36)), this.#stepOf);
    const digits = digitsOf(marks.length > 1 ? marks[1] - marks[0] : 1);
    pen.fillStyle = colours.text;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.strokeStyle = colours.grid;
    pen.beginPath();
    for (const mark of marks) {
      const line = Math.round(y(mark)) + 0.5;
      pen.moveTo(left, line);
      pen.lineTo(right, line);
      pen.fillText(this.#stepOf === binaryStep ? formatValue(mark, unit).replace(".0 ", " ") : Math.abs(mark) >= 1e6 || (mark && digits > 6) ? mark.toExponential(1) : mark.toFixed(digits),
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

  #hatch({ pen, colours, top, bottom }, gap, begin, end) {
    const high = bottom - top, label = `disconnected ${formatDuration(Math.round((Math.min(gap.to, this.now()) - gap.from) / 1000) * 1000)}`;
    pen.save();
    pen.beginPath();
    pen.rect(begin, top, end - begin, high);
    pen.clip();
    pen.beginPath();
    for (let at = begin - high; at < end; at += 8) {
      pen.moveTo(at, bottom);
      pen.lineTo(at + high, top);
    }
    pen.stroke();
    const wide = pen.measureText(label).width + 8, middle = (begin + end) / 2;
    if (wide < end - begin) {
      pen.fillStyle = colours.surface;
      pen.fillRect(middle - wide / 2, top + 4, wide, 16);
      pen.fillStyle = colours.text;
      pen.textBaseline = "middle";
      pen.fillText(label, middle, top + 12);
    }
    pen.restore();
  }

  #line({ pen, colours, left, right, y, from, to }, ring, i) {
    pen.strokeStyle = colours.series[i];
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    pen.setLineDash(dashes[i]);
    pen.beginPath();
    ring.trace(pen, from, to, left, right - left, y);
    pen.stroke();
  }

  #read(t, isPointed) {
    const texts = this.#series.map(({ unit, ring }) => format(ring.at(t), unit)), now = performance.now(), { from, to } = this.window;
    texts.forEach((text, i) => setText(this.#readouts[i], text));
    if (isPointed || now < this.#nextSummary || !this.#series.some(({ ring }) => ring.length)) return;
    this.#nextSummary = now + 10_000;
    const words = this.#series.map(({ name, unit, ring }, i) => {
      const extent = ring.extent(from, to);
      return extent ? `${name} ${texts[i]}, between ${formatValue(extent[0], unit)} and ${formatValue(extent[1], unit)}` : `${name}: no values yet`;
    });
    setAttribute(this.#canvas, "aria-label", `${this.title && `${this.title}: `}${words.join("; ")}, over ${formatDuration(to - from)} until ${formatTime(t)}`);
  }
}
