// Up to six series over time on a canvas: what is drawn, and which range. A chart that is examined
// loads `looking.js`.
import { h, load, setAttribute, setText } from "/lib/dom.js";
import { formatDuration, formatEntry, formatTime, formatValue } from "/lib/format.js";
import { AxisRange, binaryStep, byteLabel, digitsOf, niceStep, ticks, timeLabel, timeTicks } from "/chart/scale.js";
import { Track } from "/chart/track.js";

/** For people who asked for more contrast, and where there are no colours. */
const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3], [4, 2], [1, 2]];
const plain = matchMedia("(prefers-contrast: more), (forced-colors: active)");
const heard = [
  "wheel", "keydown", "pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave", "dblclick",
];
const room = { left: 8, right: 56, top: 8, bottom: 20 };
const ranges = [[300_000, "5 min"], [3_600_000, "1 h"], [86_400_000, "24 h"], [604_800_000, "7 days"]];

function palette(element, swatches) {
  const style = getComputedStyle(element), of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: of("text-2"), grid: of("hairline"), cursor: of("edge"), surface: of("surface"), warn: of("warn"), bad: of("bad"),
    series: swatches.map((each) => getComputedStyle(each).borderTopColor), font: `11px ${of("sans")}`,
  };
}

export class TimeChart {
  /** The chosen range, and that of a closer look or null: `{ span }` until now, `{ from, to }`. */
  home; view = null;
  /** The times that are being chosen by dragging, `[from, to]`. */
  chosen = null;
  tracks;
  #series; #page; #canvas = h("canvas", { role: "img", tabindex: 0 }); #pen = this.#canvas.getContext("2d");
  #item; #axis; #colours; #swatches; #readouts; #to; #box = {}; #ending = new AbortController(); #born = performance.now();
  #unit; #stepOf; #levels; #looking = null; #drawn = null; #nextWords = 0; #select;
  #tip = h("div", { class: "chart-tip small", hidden: true, "aria-hidden": "true" }); #tipRows;
  #note = h("p", { class: "chart-note small", hidden: true });
  #back = h("button", { type: "button", class: "quiet small", hidden: true, onclick: () => this.look(null) }, "Zoom out");

  /**
   * `series`: `[{ name, unit, ring, isStepped, fresh, kept, entry }]`, see `Track`; `kept(track,
   * changed)` may ask for older values, `entry()` is the present one. `levels`: `[{ from, to, tone
   * }]`; `bounds`: what values never exceed; `cursor`: shared, at `t`; `now`: the server's time, ms.
   */
  constructor({ series, span = 300_000, min, max, bounds, levels = [], cursor, page, now = Date.now, title = "",
    isKiosk = false }) {
    const { signal } = this.#ending, { frame, store } = page, [{ unit }] = series, mark = () => this.mark();
    Object.assign(this, { home: { span }, cursor, now, title });
    this.tracks = series.map((each) => new Track(each.ring, each));
    this.#series = series.map((each, i) => ({ ...each, kept: each.kept?.(this.tracks[i], mark) }));
    this.#page = page;
    this.#levels = levels;
    this.#unit = series.every((each) => each.unit === unit) ? unit : "";
    this.#stepOf = this.#unit === "B" || this.#unit === "B/s" ? binaryStep : niceStep;
    this.#axis = new AxisRange({ min, max, ...bounds, stepOf: this.#stepOf });
    this.#canvas.ariaLabel = title;
    this.#readouts = series.map(() => h("output", { class: "num", "aria-live": "off" }));
    this.#tipRows = series.map(() => h("b", { class: "num" }));
    this.#swatches = series.map(() => h("i", { class: "swatch" }));
    const named = ({ name }, i, swatch, value) => h("li", { dataset: { series: i + 1 } },
      swatch, h("span", { class: "legend-name", title: name }, name), value);
    const rows = series.map((each, i) => named(each, i, h("i", { class: "swatch" }), this.#tipRows[i]));
    this.#tip.append(h("time", { class: "num" }), h("ul", {}, rows));
    this.#select = isKiosk ? null : h("select", { class: "small", "aria-label": `Range of ${title}`,
      onchange: () => this.#choose(this.#select.value) });
    this.#offer();
    this.element = h("div", { class: "chart" },
      h("div", { class: "chart-head" },
        h("ul", { class: "legend" }, series.map((each, i) => named(each, i, this.#swatches[i], this.#readouts[i]))),
        this.#back, this.#select),
      h("div", { class: "plot" }, this.#canvas, this.#note, this.#tip));
    if (isKiosk) this.#canvas.removeAttribute("tabindex");
    // A paused chart stands still, but can be examined.
    this.#item = frame.item(this.#canvas, () => this.#draw(), { whilePaused: true });
    const repaint = () => { this.#colours = null; mark(); };
    store.listen("theme", repaint, signal);
    plain.addEventListener("change", repaint, { signal });
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

  close() {
    this.#ending.abort();
    this.#item.close();
    for (const { kept } of this.#series) kept?.close();
  }

  get window() {
    if (!this.#page.frame.paused || !this.#to) this.#to = this.now();
    const { span, from, to } = this.view ?? this.home;
    return span ? { from: this.#to - span, to: this.#to } : { from, to };
  }

  /** Shows other times for a while; null: the chosen range again. */
  look(view) {
    this.view = view;
    this.#back.hidden = !view;
    if (!view && this.#back === document.activeElement) this.#canvas.focus();
    this.mark();
  }

  /** What the cursor says, in a sentence. */
  get words() {
    const { t } = this.cursor;
    return `${formatTime(t, this.now())}: ${this.#series.map(({ name }, i) => `${name} ${this.#text(i, t)}`).join(", ")}`;
  }

  announce(text) { this.#page.announce(text); }

  share(x) { return (x - room.left) / Math.max(1, this.#box.width - room.left - room.right); }

  /** The ranges to choose from; `own`, if it is one that the user has entered. */
  #offer(own = "") {
    const { span } = this.home, all = [...ranges];
    if (span && !ranges.some(([each]) => each === span)) all.unshift([span, formatDuration(span)]);
    if (own) all.push(["own", own]);
    const isChosen = (value) => value === (own ? "own" : span);
    this.#select?.replaceChildren(...[...all, ["ask", "Other…"]].map(([value, label]) =>
      h("option", { value, selected: isChosen(value) }, label)));
  }

  async #choose(value) {
    if (value === "own") return;
    if (value !== "ask") {
      this.home = { span: Number(value) };
      return this.look(null);
    }
    const { from, to } = this.window, before = this.home;
    this.#select.value = before.span ?? "own";
    const { askRange } = await load("/chart/range.js"), range = await askRange(this.#page, this.title, from, to);
    if (!range) return;
    this.home = range;
    this.#offer(`${formatTime(range.from, range.to)} to ${formatTime(range.to)}`);
    this.look(null);
  }

  #hear(event) {
    const { type, key, ctrlKey, metaKey, altKey, shiftKey, target, offsetX, deltaX, deltaY, pointerId, button } = event;
    if (type === "wheel" || type === "keydown") {
      const isWheel = type === "wheel" && (ctrlKey || shiftKey || document.activeElement === target);
      const isBack = key === "Escape" && (this.view || this.cursor.chart === this);
      const isKey = !ctrlKey && !metaKey && !altKey && (isBack || /^([-+=0]|Arrow(Left|Right)|Home|End)$/.test(key));
      if (type === "wheel" ? !isWheel : !isKey) return;
      event.preventDefault();
      event.stopPropagation();
    }
    const told = { type, key, shiftKey, target, offsetX, deltaX, deltaY, pointerId, button };
    this.#looking ??= load("/chart/looking.js").then(({ Looking }) => new Looking(this));
    this.#looking.then((looking) => looking[type](told));
  }

  #draw() {
    const canvas = this.#canvas, pen = this.#pen, { width, height } = this.#box;
    const ratio = (devicePixelRatio || 1) * (canvas.currentCSSZoom ?? 1);
    if (!(width >= 40 && height >= 40)) return;
    const { from, to } = this.window, { left, top } = room, right = width - room.right, bottom = height - room.bottom;
    const size = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    const shown = this.view ?? this.home, isLive = !!shown.span, wide = Math.max(1, right - left);
    const view = `${shown.span ?? `${from} ${to}`}`, past = this.#page.client?.now?.();
    for (const track of this.tracks) track.layOut(from, to, wide);
    for (const { kept } of this.#series) kept?.want(from, to, wide, view, !!past);
    this.#fit(`${view} ${past}`);
    const { low, high } = this.#axis, x = (t) => left + (t - from) / (to - from) * wide;
    const y = (v) => bottom - (v - low) / (high - low) * (bottom - top);
    const colours = (this.#colours ??= palette(canvas, this.#swatches));
    const scene = { pen, colours, left, right, top, bottom, x, y, from, to };
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = colours.font;
    pen.lineWidth = 1;
    // The time of a cursor that rests here may have left.
    const t = this.cursor.chart === this ? Math.max(from, this.cursor.t) : this.cursor.t, isPointed = t >= from && t <= to;
    this.#bands(scene);
    const label = isPointed ? formatTime(t, this.now()) : "", half = pen.measureText(label).width / 2 + 4;
    const middle = isPointed ? Math.min(right - half, Math.max(left + half, x(t))) : NaN;
    this.#axes(scene, middle, half);
    pen.save();
    pen.clip(this.#known(scene));
    this.#lines(scene);
    pen.restore();
    if (this.chosen) this.#choice(scene);
    if (isPointed) this.#point(scene, t, label, middle);
    const isNow = isLive && !isPointed && !this.#page.frame.paused;
    const texts = this.#series.map((_, i) => this.#text(i, isPointed ? t : to, isNow));
    texts.forEach((text, i) => setText(this.#readouts[i], text));
    this.#showTip(isPointed && this.cursor.chart === this, x(t), width, t);
    this.#tell(from, to);
    if (!isPointed) this.#describe(texts, from, to);
  }

  /** The axis has room for what is shown, and for levels that are near. */
  #fit(view) {
    const extents = this.tracks.flatMap(({ extent }) => extent ?? []);
    const least = Math.min(...extents), most = Math.max(...extents), reach = (most - least) / 3;
    const levels = this.#levels.flatMap(({ from, to }) => [from, to]).filter(Number.isFinite);
    const all = [...extents, ...levels.filter((v) => !extents.length || (v >= least - reach && v <= most + reach))];
    this.#axis.fit(all.length ? [Math.min(...all), Math.max(...all)] : null, performance.now(), view !== this.#drawn);
    this.#drawn = view;
  }

  /** What counts at `t`; now also what is out of date. */
  #text(i, t, isNow = false) {
    const { unit, entry } = this.#series[i], found = this.tracks[i].at(t);
    return found ? formatValue(found.v, unit) : (isNow && formatEntry(entry?.(), unit)) || "–";
  }

  /** Where values were received; where they were not, it is hatched, and no line is drawn. */
  #known(scene) {
    const { left, right, top, bottom, x } = scene, [{ gaps }] = this.#series.map(({ ring }) => ring), known = new Path2D();
    setAttribute(this.#canvas, "data-gaps", gaps.length || null);
    let edge = left;
    for (const gap of gaps) {
      const begin = Math.max(left, x(gap.from)), end = Math.min(right, x(gap.to));
      if (end - begin < 1) continue;
      this.#hatch(scene, gap, begin, end);
      known.rect(edge, top - 2, begin - edge, bottom - top + 4);
      edge = end;
    }
    known.rect(edge, top - 2, right + 1 - edge, bottom - top + 4);
    return known;
  }

  #lines({ pen, colours, left, y }) {
    pen.lineJoin = "round";
    this.tracks.forEach((track, i) => {
      pen.fillStyle = pen.strokeStyle = colours.series[i];
      pen.beginPath();
      track.shade(pen, left, y);
      pen.globalAlpha = 0.22;
      pen.fill();
      pen.globalAlpha = 1;
      pen.lineWidth = 1.5;
      pen.setLineDash(plain.matches ? dashes[i] : []);
      pen.beginPath();
      track.trace(pen, left, y);
      pen.stroke();
    });
  }

  /** What is good is plain; the rest is tinted, and has a line where it begins. */
  #bands({ pen, colours, left, right, top, bottom, y }) {
    const { low, high } = this.#axis;
    for (const { from, to, tone } of this.#levels) {
      if (!(from < high && to > low)) continue;
      const upper = y(Math.min(to, high)), lower = y(Math.max(from, low));
      pen.fillStyle = colours[tone];
      pen.globalAlpha = 0.09;
      pen.fillRect(left, upper, right - left, lower - upper);
      pen.globalAlpha = 0.8;
      for (const v of [from, to]) if (v > low && v < high) pen.fillRect(left, Math.round(y(v)), right - left, 1);
      pen.globalAlpha = 1;
    }
  }

  /** The times that are being chosen. */
  #choice({ pen, colours, left, right, top, bottom, x }) {
    const [a, b] = this.chosen.map((t) => Math.min(right, Math.max(left, x(t))));
    pen.fillStyle = colours.cursor;
    pen.globalAlpha = 0.25;
    pen.fillRect(Math.min(a, b), top, Math.abs(b - a), bottom - top);
    pen.globalAlpha = 1;
  }

  /** A gap in the connection, from `begin` to `end`. */
  #hatch({ pen, colours, top, bottom }, gap, begin, end) {
    const high = bottom - top, long = Math.min(gap.to, this.now()) - gap.from;
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

  /** The line of the shared cursor, a dot on each series, and the time on the axis. */
  #point({ pen, colours, left, right, top, bottom, x, y }, t, label, middle) {
    const at = Math.round(x(t)) + 0.5;
    pen.fillStyle = colours.cursor;
    pen.fillRect(at - 0.5, top, 1, bottom - top);
    this.tracks.forEach((track, i) => {
      const found = track.at(t), place = found ? x(found.t) : NaN;
      if (!(place >= left && place <= right)) return;
      pen.beginPath();
      pen.arc(place, y(found.v), 3.5, 0, 7);
      pen.fillStyle = colours.series[i];
      pen.strokeStyle = colours.surface;
      pen.fill();
      pen.stroke();
    });
    pen.fillStyle = colours.text;
    pen.textBaseline = "alphabetic";
    pen.textAlign = "center";
    pen.fillText(label, middle, bottom + 15);
  }

  /** Time and values beside the cursor, on the side that has room. */
  #showTip(isShown, at, width, t) {
    this.#tip.hidden = !isShown;
    if (!isShown) return;
    setText(this.#tip.firstChild, formatTime(t, this.now()));
    this.#series.forEach(({ unit }, i) => {
      const found = this.tracks[i].at(t), { low, high } = found ?? {};
      const among = low < high ? ` (${formatValue(low)} to ${formatValue(high)})` : "";
      setText(this.#tipRows[i], found ? `${formatValue(found.v, unit)}${among}` : "–");
    });
    this.#tip.style.left = at > width / 2 ? "" : `${at + 12}px`;
    this.#tip.style.right = at > width / 2 ? `${width - at + 12}px` : "";
  }

  /** Where the range reaches further than what is kept. */
  #tell(from, to) {
    // What is asked for at first may be on its way.
    const isAsked = performance.now() - this.#born < 1500 || this.#series.some(({ kept }, i) => kept && !this.tracks[i].kept);
    const since = Math.min(...this.tracks.map((each) => each.since));
    this.#note.hidden = isAsked || !(since > from + (to - from) * 0.02 && since < Infinity);
    if (!this.#note.hidden) setText(this.#note, `Values are kept since ${formatTime(since, this.now())}`);
  }

  /** In a sentence, at most every ten seconds. */
  #describe(texts, from, to) {
    const now = performance.now();
    if (now < this.#nextWords || !this.#series.some(({ ring }) => ring.length)) return;
    this.#nextWords = now + 10_000;
    const words = this.#series.map(({ name, unit }, i) => {
      const extent = this.tracks[i].extent?.map((v) => formatValue(v, unit));
      return extent ? `${name} ${texts[i]}, between ${extent.join(" and ")}` : `${name}: no values yet`;
    });
    const time = `over ${formatDuration(to - from)} until ${formatTime(to)}`;
    this.#canvas.ariaLabel = `${this.title && `${this.title}: `}${words.join("; ")}, ${time}`;
  }

  /** The times next to the cursor give way to its own, at `middle`. */
  #axes({ pen, colours, left, right, top, bottom, x, y, from, to }, middle, wide) {
    const { low, high } = this.#axis, stepOf = this.#stepOf, most = Math.min(6, Math.max(2, Math.floor((bottom - top) / 40)));
    const few = ticks(low, high, most, stepOf), marks = few.length > 2 ? few : ticks(low, high, 2 * most, stepOf);
    const apart = marks[1] - marks[0] || 1, digits = digitsOf(apart);
    const label = (mark) => (stepOf === binaryStep ? byteLabel(mark, this.#unit)
      : Math.abs(mark) >= 1e6 || (mark && digits > 6) ? mark.toExponential(1) : mark.toFixed(digits));
    pen.fillStyle = colours.text;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.strokeStyle = colours.grid;
    pen.globalAlpha = 0.7;
    pen.beginPath();
    for (const mark of marks) {
      const line = Math.round(y(mark)) + 0.5;
      pen.moveTo(left, line);
      pen.lineTo(right, line);
    }
    pen.stroke();
    pen.globalAlpha = 1;
    for (const mark of marks) pen.fillText(label(mark), right + 6, Math.min(Math.round(y(mark)), bottom - 1), room.right - 8);
    const { step, at } = timeTicks(from, to, Math.min(8, Math.max(2, Math.floor((right - left) / 90))));
    pen.textBaseline = "alphabetic";
    pen.textAlign = "center";
    for (const t of at) {
      const text = timeLabel(t, step), half = pen.measureText(text).width / 2;
      const isTaken = Math.abs(x(t) - middle) <= half + wide;
      if (!isTaken && x(t) - half >= left && x(t) + half <= right) pen.fillText(text, x(t), bottom + 15);
      pen.fillRect(Math.round(x(t)), bottom, 1, 3);
    }
  }
}
