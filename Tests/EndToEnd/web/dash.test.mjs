// The pure modules of dashboards and charts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { Kept } from "../../../public/chart/kept.js";
import {
  AxisRange, binaryStep, byteLabel, digitsOf, niceStep, ticks, timeLabel, timeTicks,
} from "../../../public/chart/scale.js";
import { Steps, Track } from "../../../public/chart/track.js";
import { decode, encode } from "../../../public/dash/address.js";
import { compose, leftOut, place } from "../../../public/dash/compose.js";
import { Feeds, Ring } from "../../../public/dash/feeds.js";
import { pagesOf, roomOf, scaleOf } from "../../../public/dash/kiosk.js";
import { columns, most, read, settle, version } from "../../../public/dash/layout.js";
import {  } from "../../../public/lib/input.js";
import { stepped } from "../../../public/lib/steps.js";
import { bandsOf, heldAs, toneOf, toneOfNode } from "../../../public/widgets/tone.js";

/** Random numbers that come again. */
function random(seed) {
  return () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
}

test("a ring keeps its newest points and says what holds when", () => {
  const ring = new Ring(4);
  for (let i = 0; i < 10; i++) ring.push(i, i * i);
  assert.equal(ring.length, 4);
  assert.equal(ring.time(0), 6);
  assert.equal(ring.time(3), 9);
  assert.equal(ring.index(7.5), 2);
  assert.equal(ring.at(7.5), 49);
  assert.equal(ring.at(100), 81);
  assert.ok(Number.isNaN(ring.at(5)));
  ring.push(3, 1);
  assert.equal(ring.time(3), 9, "time does not go back");
  const today = new Ring(4);
  [0, 50, 50, 90].forEach((after, i) => today.push(1.8e12 + after, i));
  assert.deepEqual([0, 49, 50, 89, 90].map((after) => today.at(1.8e12 + after)), [0, 0, 2, 2, 3], "at the very time of a point it is the point's, of several the last");
});

test("a ring makes room as points come, and keeps them in order however its bound is raised", () => {
  const ring = new Ring(100), seen = [];
  for (let i = 0; i < 1000; i++) {
    if (i === 333) ring.most = 500;
    ring.push(i, -i);
    seen.push(i);
    while (seen.length > ring.most) seen.shift();
    // Points that were dropped before the bound was raised do not come back.
    assert.deepEqual([ring.time(0), ring.time(ring.length - 1)], [seen.at(-ring.length), i]);
    assert.ok(ring.length <= ring.most && ring.at(i) === -i);
  }
  assert.equal(ring.length, 500);
});

/**
 * A canvas's pen as far as lines go: nothing is drawn to NaN, and a line without a beginning
 * begins.
 */
class Pen {
  lines = []; points = [];
  #at(x, y, begins) {
    if (x !== x || y !== y) return;
    if (begins || !this.lines.length) this.lines.push([]);
    this.lines.at(-1).push([x, y]);
    this.points.push([x, y]);
  }
  moveTo(x, y) { this.#at(x, y, true); }
  lineTo(x, y) { this.#at(x, y, false); }
}

test("older points come before those that are known, as many of the newest as there is room for", () => {
  const ring = new Ring(5);
  for (const t of [30, 40]) ring.push(t, t);
  ring.openGap(35);
  // What is as new as the oldest that is known is known.
  ring.prepend([[10, 1], [15, 2], [20, 3], [25, NaN], [30, 9]]);
  const seen = Array.from({ length: ring.length }, (_, i) => [ring.time(i), ring.value(i)]);
  assert.deepEqual(seen, [[15, 2], [20, 3], [25, NaN], [30, 30], [40, 40]]);
  assert.deepEqual(ring.gaps, [{ from: 35, to: Infinity }]);
  ring.prepend([[5, 5]]);
  assert.equal(ring.time(0), 15);
  // Two values of one millisecond: the one before the oldest that is known is older.
  const quick = new Ring(9);
  quick.push(20, 5);
  quick.prepend([[10, 1], [20, 4], [20, 5], [20, 6]]);
  assert.deepEqual(Array.from({ length: quick.length }, (_, i) => quick.value(i)), [1, 4, 5]);
  const empty = new Ring(2);
  empty.prepend([[1, 1], [2, 2], [3, 3]]);
  assert.deepEqual([empty.length, empty.time(0), empty.at(9)], [2, 2, 3]);
});

/** The lines that a track draws from `from` to `to`; a value of `v` is drawn at `v`. */
function drawn(track, from, to, width = to - from) {
  const pen = new Pen();
  track.layOut(from, to, width);
  track.trace(pen, 0, (v) => v);
  return pen;
}

test("a line loses no extreme and no gap, whatever the points, and has a vertex for each pixel at most", () => {
  const next = random(7);
  for (let round = 0; round < 200; round++) {
    const ring = new Ring(512), all = [], hasGaps = round % 2, isStepped = round % 3 === 0;
    let t = 0;
    for (let i = 0; i < 50 + 500 * next(); i++) {
      const v = hasGaps && next() < 0.05 ? NaN : next() * 100 - 50;
      ring.push((t += 10 * next()), v);
      all.push([t, v]);
    }
    const kept = all.slice(-512), from = t * next() * 0.5, to = from + t * 0.4, width = 1 + Math.floor(80 * next());
    const track = new Track(ring, { isStepped }), pen = drawn(track, from, to, width);
    const inside = kept.filter(([at, v]) => at >= from && at <= to && v === v).map(([, v]) => v);
    assert.ok(pen.points.every(([x], i) => !i || x >= pen.points[i - 1][0] - 1.5), "it goes from left to right");
    assert.ok(track.length <= width + 3, `${track.length} vertices on ${width} pixels`);
    if (!inside.length) continue;
    assert.ok(track.extent[0] <= Math.min(...inside) && track.extent[1] >= Math.max(...inside), "no extreme is lost");
    const before = kept.filter(([at]) => at < from).at(-1)?.[1], around = [...inside, before ?? inside[0], kept.find(([at]) => at > to)?.[1] ?? inside[0]];
    if (around.every((v) => v === v)) assert.ok(track.extent[0] >= Math.min(...around) && track.extent[1] <= Math.max(...around));
  }
});

test("settings are steps and the others lines, and neither goes on where values are out of date", () => {
  const ring = new Ring(8);
  for (const [t, v] of [[0, 1], [20, 3], [60, 5], [70, NaN], [80, 2]]) ring.push(t, v);
  assert.deepEqual(drawn(new Track(ring), 10, 100).lines, [[[-10, 1], [10, 3], [50, 5], [60, 5]], [[70, 2], [90, 2]]]);
  const steps = [[[0, 1], [10, 1], [10, 3], [50, 3], [50, 5], [60, 5]], [[70, 2], [90, 2]]];
  assert.deepEqual(drawn(new Track(ring, { isStepped: true }), 10, 100).lines, steps);
  const track = new Track(ring, { fresh: 15 });
  assert.deepEqual(drawn(track, 10, 100).lines.map((line) => [line[0][0], line.at(-1)[0]]), [[-10, 5], [10, 25], [50, 60], [70, 85]]);
  assert.deepEqual([5, 25, 40, 62, 75, 81, 99].map((t) => track.at(t)?.v), [1, 3, undefined, 5, undefined, 2, undefined]);
  // On a line the nearest value counts; a setting is what it was set to.
  assert.deepEqual([8, 12, 50].map((t) => new Track(ring).at(t).v), [1, 3, 5]);
  assert.deepEqual([8, 12, 50].map((t) => new Track(ring, { isStepped: true }).at(t).v), [1, 1, 3]);
  assert.equal(drawn(new Track(new Ring(2)), 0, 9).points.length, 0);
  assert.deepEqual(heldAs({ kind: "mutable", role: "setting", fresh: 5 }), { isStepped: true, fresh: 5, reports: false });
  assert.deepEqual(heldAs({ kind: "derived", fresh: undefined }), { isStepped: false, fresh: undefined, reports: false });
});

test("X-5: steps of time are a line of their means and a band, then single values follow", () => {
  const ring = new Ring(8), d = Array.from({ length: 30 }, (_, i) => ({ t: 10 * i, n: 5, min: i - 1, mean: i, max: i + 2, v: i + 1 }));
  const track = new Track(ring, { reports: true }), bands = { ops: 0, moveTo() {}, closePath() { this.ops++; }, lineTo(x, y) { (this.ys ??= []).push(y); } };
  ring.push(300, 40);
  // A device was silent from 100 to 200.
  track.kept = new Steps({ d: d.filter(({ t }) => t < 100 || t >= 200), step: 10, since: 0, end: 300 });
  const { lines } = drawn(track, 0, 400);
  assert.deepEqual(lines.map((line) => [line[0], line.at(-1)]), [[[5, 0], [130, 9]], [[205, 20], [400, 40]]]);
  track.shade(bands, 0, (v) => v);
  assert.equal(bands.ops, 2);
  assert.deepEqual([Math.min(...bands.ys), Math.max(...bands.ys), track.extent], [-1, 40, [-1, 40]]);
  assert.deepEqual([track.at(52), track.at(180), track.since], [{ t: 55, end: 60, v: 5, low: 4, high: 7 }, null, 0]);
  assert.deepEqual(track.rows().slice(-2), [[290, 30], [300, 40]]);
  assert.equal(new Track(ring, { isStepped: true }).at(299), null);
});

test("gaps are spans; one that lasts is closed once", () => {
  const ring = new Ring(2);
  ring.openGap(5);
  assert.deepEqual(ring.gaps, [{ from: 5, to: Infinity }]);
  ring.closeGap(9); ring.closeGap(10);
  assert.deepEqual(ring.gaps, [{ from: 5, to: 9 }]);
  for (let i = 0; i < 200; i++) { ring.openGap(i); ring.closeGap(i + 0.5); }
  assert.ok(ring.gaps.length <= 64);
});

test("steps and ticks are round", () => {
  assert.deepEqual([0.013, 0.2, 3, 7, 99].map(niceStep), [0.02, 0.2, 5, 10, 100]);
  assert.deepEqual([3, 700, 300_000].map(binaryStep), [5, 1024, 1024 * 1024]);
  assert.deepEqual(ticks(-1, 1, 4), [-1, -0.5, 0, 0.5, 1]);
  assert.equal(digitsOf(0.05), 2);
  assert.equal(digitsOf(20), 0);
  const minutes = timeTicks(Date.UTC(2026, 0, 1, 12, 0, 20), Date.UTC(2026, 0, 1, 12, 5, 20), 5);
  assert.equal(minutes.step, 60_000);
  assert.equal(minutes.at.length, 5);
  assert.match(timeLabel(minutes.at[0], minutes.step), /^\d\d:01$/);
});

test("an axis fits the values that are shown, whenever they came, and does not breathe", () => {
  const axis = (options) => {
    const range = new AxisRange(options);
    return (extent, now = 0, isMoved = false) => { range.fit(extent, now, isMoved); return [range.low, range.high]; };
  };
  const after = axis();
  assert.deepEqual(after(null), [0, 1.2], "before there are values");
  assert.deepEqual(after([55, 75]), [50, 80], "which leaves no trace");
  assert.deepEqual(after([55, 56], 1000), [50, 80], "it shrinks late");
  assert.deepEqual(after([55, 90], 2000), [50, 100], "and grows at once");
  for (let t = 3000; t <= 13_000; t += 1000) assert.deepEqual(after([61, 69], t), [50, 100]);
  assert.deepEqual(after([61, 69], 13_001), [60, 70]);
  assert.deepEqual(after([61, 62], 13_002, true), [60.8, 62.2], "other times have their own range");
  // Zero only where values come near.
  for (const [extent, expected] of [[[2, 20], [0, 25]], [[1003.2, 1003.9], [1003, 1004]], [[-5, -1], [-6, 0]], [[-40, 60], [-60, 80]]]) {
    assert.deepEqual(axis()(extent), expected);
  }
  assert.deepEqual([axis()([20, 20]), axis()([0, 0])], [[19.6, 20.4], [0, 1]]);
  assert.deepEqual(axis({ min: 0, max: 100 })([40, 50]), [0, 100]);
  assert.deepEqual(axis({ min: 0 })([55, 75]), [0, 80]);
  assert.deepEqual(axis({ least: 0, most: 100 })([31, 99.5]), [20, 100], "no room above what is the most");
  assert.deepEqual(axis({ max: 5 })([7, 8]), [4, 5]);
});

const some = { v: 1, title: "Äöü 🏠", widgets: [{ kind: "number", x: 0, y: 0, w: 3, h: 2, node: "indoor_c" }, { kind: "series", x: 3, y: 0, w: 6, h: 4, nodes: ["a", "b.*"], span: 60, min: 0 }] };

test("a layout comes back from its address as it was", () => {
  const text = encode(some);
  assert.match(text, /^1\.[A-Za-z0-9_-]+$/);
  assert.deepEqual(decode(text), { layout: some, problems: [] });
});

test("whatever an address holds, there is a dashboard or a sentence", () => {
  const text = encode(some), next = random(3);
  for (const bad of ["", "1.", "1.%%%", "x", "1.e30", `1.${"A".repeat(300_000)}`, text.slice(0, 40), "0.e30", "1." + btoa("[]"), "1." + btoa("null"), "1." + btoa('{"v":1}')]) {
    const { layout, problems } = decode(bad);
    assert.equal(layout, null);
    assert.match(problems[0], /^[A-Z].*\.$/);
  }
  assert.match(decode("7.e30").problems[0], /newer version/);
  assert.match(decode(`1.${btoa('{"v":2,"widgets":[] }')}`).problems[0], /newer version/);
  for (let i = 0; i < 2000; i++) {
    const at = Math.floor(text.length * next()), changed = text.slice(0, at) + "ABCxyz019_-"[Math.floor(11 * next())] + text.slice(at + 1), { layout, problems } = decode(changed);
    assert.ok(layout ? layout.widgets.length <= 2 : problems.length === 1);
  }
});

test("a layout is checked field by field", () => {
  const one = (widget) => read({ v: version, widgets: [{ kind: "number", x: 0, y: 0, w: 3, h: 2, ...widget }] });
  for (const wrong of [{ kind: 7 }, { kind: "<b>" }, { x: -1 }, { x: 1.5 }, { w: 13 }, { h: 1e9 }, { node: "a b" }, { node: { toString: 1 } }, { nodes: "a" }, { title: "x".repeat(999) },
    { pipe: "value" }, { pipe: [{ map: "x".repeat(5000) }] }, { span: 1e12 }, { min: "0" }, { max: null }, { text: 5 }, { slider: "yes" }, { y: 1e7 }]) {
    const { layout, problems } = one(wrong);
    assert.equal(layout.widgets.length, 0, JSON.stringify(wrong));
    assert.equal(problems.length, 1);
  }
  assert.deepEqual(Object.keys(one({ onclick: "alert(1)", __proto__: { a: 1 } }).layout.widgets[0]), ["kind", "x", "y", "w", "h"]);
  assert.equal(one({ kind: "hologram" }).layout.widgets.length, 1, "an unknown kind is shown as such");
  const many = read({ v: version, widgets: Array.from({ length: 100 }, () => ({ kind: "number" })) });
  assert.equal(many.layout.widgets.length, most.widgets);
  assert.match(many.problems[0], /64 of 100/);
  assert.equal(encode({ v: 1, widgets: Array.from({ length: 64 }, () => ({ kind: "number", node: "n".repeat(100) })) }), null, "too long for an address");
});

test("widgets never overlap and leave no rows empty, however they are moved", () => {
  const next = random(11), whole = (size) => Math.floor(size * next());
  for (let round = 0; round < 300; round++) {
    const widgets = Array.from({ length: 1 + whole(15) }, () => { const w = 1 + whole(6); return { x: whole(columns - w + 1), y: whole(12), w, h: 1 + whole(4) }; });
    const moved = widgets[whole(widgets.length)];
    settle(widgets, moved);
    for (const a of widgets) {
      for (const b of widgets) assert.ok(a === b || a.x >= b.x + b.w || b.x >= a.x + a.w || a.y >= b.y + b.h || b.y >= a.y + a.h);
      assert.ok(a.y === 0 || widgets.some((b) => a !== b && b.x < a.x + a.w && a.x < b.x + b.w && b.y + b.h === a.y), "nothing floats");
    }
    const { x, y } = place(widgets, 4, 2);
    assert.ok(widgets.every((b) => x >= b.x + b.w || b.x >= x + 4 || y >= b.y + b.h || b.y >= y + 2));
  }
});

test("a graph without a dashboard gets one of its nodes, in sections, and says what is left out", () => {
  const made = (name, kind, more) => ({ name, kind, ...more });
  const nodes = [
    made("f", "derived", { v: 68 }), made("t", "mutable", { type: "number", unit: "°C", title: "Warm", min: 0, max: 30 }),
    made("in", "mutable", { role: "sensor", unit: "°C", v: 20, title: "In", history: 60 }), made("on", "derived", { v: true, title: "On" }),
    made("out", "mutable", { role: "sensor", unit: "°C", v: 4, title: "Out", history: 60 }), { kind: "chain", v: 1 },
    made("wet", "derived", { v: false, severity: "warning" }), made("fire", "derived", { v: false, severity: "alarm", title: "Fire" }),
  ];
  const families = [made("bed.{id}.soil", "mutable", {}), made("bed.{id}.light", "mutable", {}), made("bed.{id}.dry", "derived", {})];
  const layout = compose(nodes, families), shown = ({ kind, node, nodes: several }) => [kind, node ?? several.join(" ")].join(" ");
  assert.deepEqual(layout.widgets.map(shown), ["lamp fire", "lamp wet", "editor t", "number in", "number out", "lamp on",
    "series in out", "table bed.*.soil bed.*.light"]);
  assert.equal(layout.widgets.at(-1).title, "bed");
  assert.deepEqual(leftOut(nodes, layout), { untitled: 1, words: "1 helper without a title" });
  assert.equal(shown(compose(nodes, families, true).widgets[5]), "number f");
  // What is read again stays where it is.
  assert.deepEqual(read(structuredClone(layout)).layout, layout);
  for (let count = 1; count < 90; count++) {
    const many = Array.from({ length: count }, (_, i) => made(`n${i}`, i % 2 ? "mutable" : "derived", { type: i % 3 ? "any" : "number" }));
    const { layout: again, problems } = read(structuredClone(compose(many)));
    assert.deepEqual([again, problems], [compose(many), []], `${count} nodes`);
    const left = leftOut(many, again);
    assert.equal(left.untitled, 0, "where no node has a title all are alike");
    if (count > 80) assert.match(left.words, /nodes for which there is no room/);
  }
});

test("a ring takes room as it fills", () => {
  const before = process.memoryUsage().arrayBuffers, rings = Array.from({ length: 500 }, () => new Ring(8192));
  for (const ring of rings) ring.push(1, 1);
  assert.ok(process.memoryUsage().arrayBuffers - before < 500 * 2048, "500 feeds of a point each in less than 2 KiB a feed");
});

test("the server's clock is not mistaken for values that come late", ({ mock }) => {
  // Two looks at a running clock may differ by a millisecond.
  mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
  let hear;
  const feeds = new Feeds({ watch: (target, type, fn) => ((hear = fn), { close() {} }) }, "g", () => undefined), seen = [];
  feeds.open("x", undefined, 64, ({ entry }) => seen.push(entry));
  let rev = 0;
  const told = (late, more) => hear(1, { t: Date.now() - late, rev: ++rev, ...more }), skew = () => Date.now() - feeds.now();
  told(3_600_000);
  assert.equal(skew(), 0, "a value set an hour ago says nothing about the clock");
  told(40_000, { gap: 50_000 });
  assert.equal(skew(), 0, "nor does what was missed");
  told(10);
  told(120_000);
  assert.equal(skew(), 0, "nor what waited while this machine slept");
  told(-10_000);
  assert.ok(Math.abs(skew() + 10_000) < 500, "but a clock that runs ahead shows at once");
  const behind = new Feeds({ watch: (target, type, fn) => ((hear = fn), { close() {} }) }, "g", () => undefined);
  behind.open("x", undefined, 64, () => {});
  told(60_000);
  told(60_000);
  assert.ok(Math.abs(Date.now() - behind.now() - 60_000) < 500, "and one that is far behind");
});

test("patterns are short enough to be matched", () => {
  const problems = (node) => read({ v: version, widgets: [{ kind: "table", nodes: [node] }] }).problems.length;
  assert.equal(problems("room.*.wall.*_*"), 0);
  assert.equal(problems("*a".repeat(20)), 1);
});

test("marks of a byte axis are whole in the unit of its steps", () => {
  const labels = (most, unit) => {
    const step = binaryStep(most / 4);
    return ticks(0, Math.ceil(most / step) * step, 4, () => step).map((mark) => byteLabel(mark, unit));
  };
  assert.deepEqual(labels(3 * 1024, "B/s"), ["0", "1 KiB/s", "2 KiB/s", "3 KiB/s"]);
  assert.deepEqual(labels(2000, "B"), ["0", "1 KiB", "2 KiB"]);
  assert.deepEqual(labels(1e6, "B"), ["0", "256 KiB", "512 KiB", "768 KiB", "1 MiB"]);
  for (let size = 1; size < 1e15; size *= 1.7) {
    for (const label of labels(size, "B")) assert.match(label, /^(0|\d{1,4} (Ki|Mi|Gi|Ti|Pi)?B)$/);
  }
});

test("with a good value given everything else is an alarm, unless the node is less severe", () => {
  const tone = (v, options, severity) => toneOf({ v }, options, severity);
  assert.equal(tone("none", { ok: "none" }), "ok");
  assert.equal(tone("damp and cold", { ok: "none" }), "alarm");
  assert.equal(tone("damp and cold", { ok: "none" }, "warning"), "warn");
  assert.deepEqual([17.9, 18, 24, 24.1].map((v) => tone(v, { ok: "18..24" })), ["alarm", "ok", "ok", "alarm"]);
  assert.deepEqual(["eco", "auto", "off"].map((v) => tone(v, { ok: "eco, auto" })), ["ok", "ok", "alarm"]);
  assert.deepEqual([10, 70, 90].map((v) => tone(v, { warn: 70, bad: 90 })), ["ok", "warn", "alarm"]);
  assert.deepEqual([true, false].map((v) => tone(v, { bad: true })), ["alarm", "off"]);
  assert.deepEqual([true, false, 0, 3].map((v) => tone(v, {})), ["on", "off", "off", "on"]);
  assert.equal(toneOf({ empty: true }, { ok: 1 }), "off");
  assert.equal(toneOf({ fail: { code: "x" } }, { ok: 1 }), "bad");
});

test("what a node with a severity holds is judged as in lists and pictures, and as the server counts alarms", () => {
  const tone = (entry, node) => toneOfNode({ severity: "alarm", ...node }, entry);
  assert.deepEqual([true, false, "frost", 3].map((v) => tone({ v })), ["alarm", "ok", "ok", "ok"]);
  assert.deepEqual(["none", "frost"].map((v) => tone({ v }, { ok: "none" })), ["ok", "alarm"]);
  assert.deepEqual(["info", "warning"].map((severity) => tone({ v: true }, { severity })), ["info", "warn"]);
  assert.equal(tone({ fail: { code: "x" } }), "alarm");
  assert.equal(tone({ empty: true }), "off");
  assert.equal(tone(undefined), "off");
});

test("a board on a wall fills the screen and stays readable", () => {
  for (const [width, height] of [[1920, 1080], [3840, 2160], [1280, 720], [800, 600]]) {
    for (let rows = 1; rows < 40; rows++) {
      const { scale, rowHeight } = scaleOf(rows, width, height);
      assert.ok(scale >= 0.6 && width / scale >= Math.min(width / 0.6, 900), `${rows} rows on ${width} × ${height}`);
      const high = (rows * rowHeight + (rows - 1) * 12 + 24) * scale;
      if (scale > 0.6) assert.ok(high <= height + 1 && high > height - 2 * rows * scale - 1, `${rows} rows take ${high} of ${height}`);
    }
  }
});

test("a board that is too high to touch is divided between rows, into pages of about the same height", () => {
  const rows = (count, h = 2) => Array.from({ length: count }, (_, i) => ({ x: 0, y: h * i, w: 3, h }));
  assert.deepEqual([600, 744, 800, 1080].map(roomOf), [10, 12, 13, 18]);
  assert.deepEqual(pagesOf([], 10), [0]);
  assert.deepEqual(pagesOf(rows(5), 10), [0]);
  assert.deepEqual(pagesOf(rows(6), 10), [0, 6], "not ten rows and two");
  assert.deepEqual(pagesOf(rows(8, 3), 13), [0, 12]);
  // A page does not begin within a widget, and one that is higher than a page is not cut.
  assert.deepEqual(pagesOf([...rows(6), { x: 6, y: 4, w: 6, h: 4 }], 10), [0, 8]);
  assert.deepEqual(pagesOf([...rows(2), { x: 0, y: 4, w: 6, h: 20 }], 10), [0, 4]);
});

test("− and + go by a twentieth of the range, on its steps and within the bounds", () => {
  const room = { type: "number", min: 5, max: 30 };
  assert.deepEqual([stepped(room, 21, 1), stepped(room, 21.3, -1), stepped(room, 30, 1)], [21.5, 21, 30]);
  assert.deepEqual([stepped({ type: "integer", min: 0 }, 7, -1), stepped({ type: "integer", min: 0 }, 0, -1)], [6, 0]);
});

test("X-5: a chart asks for the steps that it shows, once, and again when single values were dropped", async ({ mock }) => {
  const asked = [], ring = new Ring(3), track = new Track(ring), wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  mock.method(globalThis, "fetch", async (path) => {
    const query = Object.fromEntries(new URL(path, "http://x").searchParams), [begin, end] = [Number(query.begin), Number(query.end)];
    asked.push(query);
    return { ok: true, json: async () => ({ step: 10, since: 0, begin, end, d: [{ t: begin, n: 2, min: 1, mean: 2, max: 9, v: 3 }] }) };
  });
  let changes = 0;
  const kept = new Kept("g", "x", track, () => changes++);
  kept.want(0, 1000, 500, "1");
  assert.equal(asked.length, 0, "the present value comes first");
  ring.push(900, 1);
  for (let i = 0; i < 5; i++) kept.want(i, 1000 + i, 500, "1");
  await wait(20);
  assert.deepEqual(asked, [{ begin: "0", end: "1000", points: "500" }]);
  assert.deepEqual([changes, track.kept.length, track.at(4).high], [1, 1, 9]);
  // Views that change quickly are asked for when they rest.
  for (const view of ["2", "3", "4"]) kept.want(100, 800, 30, view);
  await wait(250);
  assert.deepEqual(asked[1], { begin: "100", end: "800", points: "50" });
  kept.want(950, 1000, 500, "5");
  kept.close();
  await wait(250);
  assert.equal(asked.length, 2, "single values reach back that far");
});

test("what is not good has a band", () => {
  assert.deepEqual(bandsOf({ ok: "18..24" }), [{ from: -Infinity, to: 18, tone: "bad" }, { from: 24, to: Infinity, tone: "bad" }]);
  assert.deepEqual(bandsOf({ warn: 5, bad: 9 }), [{ from: 5, to: 9, tone: "warn" }, { from: 9, to: Infinity, tone: "bad" }]);
  assert.deepEqual([bandsOf({}), bandsOf({ ok: "none", bad: "on" })], [[], []]);
});

// Differences of colours by CIE 2000, as people see them who lack a kind of cones (Machado et al.,
// 2009).
const sights = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
const linear = (hex) => [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16) / 255)
  .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
const product = (rows, v) => rows.map((row) => row.reduce((sum, each, i) => sum + each * v[i], 0));
const luminance = (hex) => product([[0.2126, 0.7152, 0.0722]], linear(hex))[0];
const contrast = (a, b) => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);

function lab(rgb) {
  const [x, y, z] = product([[0.4124 / 0.95047, 0.3576 / 0.95047, 0.1805 / 0.95047], [0.2126, 0.7152, 0.0722], [0.0193 / 1.08883, 0.1192 / 1.08883, 0.9505 / 1.08883]], rgb)
    .map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function difference([l1, a1, b1], [l2, a2, b2]) {
  const rad = Math.PI / 180, mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2, g = 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)));
  const [p1, p2] = [a1 * (1 + g), a2 * (1 + g)], [c1, c2] = [Math.hypot(p1, b1), Math.hypot(p2, b2)], c = (c1 + c2) / 2;
  const hue = (a, b) => ((Math.atan2(b, a) / rad) + 360) % 360, [h1, h2] = [hue(p1, b1), hue(p2, b2)];
  const turn = h2 - h1 > 180 ? h2 - h1 - 360 : h2 - h1 < -180 ? h2 - h1 + 360 : h2 - h1, h = (h1 + turn / 2 + 360) % 360;
  const t = 1 - 0.17 * Math.cos((h - 30) * rad) + 0.24 * Math.cos(2 * h * rad) + 0.32 * Math.cos((3 * h + 6) * rad) - 0.2 * Math.cos((4 * h - 63) * rad);
  const l = (l1 + l2) / 2 - 50, dl = (l2 - l1) / (1 + 0.015 * l * l / Math.sqrt(20 + l * l)), dc = (c2 - c1) / (1 + 0.045 * c);
  const dh = 2 * Math.sqrt(c1 * c2) * Math.sin(turn / 2 * rad) / (1 + 0.015 * c * t);
  const r = -Math.sin(60 * Math.exp(-(((h - 275) / 25) ** 2)) * rad) * 2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  return Math.sqrt(dl * dl + dc * dc + dh * dh + r * dc * dh);
}

test("the colours of series stay apart in both themes, for every kind of eyes, and carry text", () => {
  const css = readFileSync(new URL("../../../public/dash/dash.css", import.meta.url), "utf8");
  const pairs = [...css.matchAll(/--series-\d: light-dark\((#\w{6}), (#\w{6})\)/g)];
  assert.equal(pairs.length, 6);
  // Surfaces and the text on a colour, as styles.css has them.
  const themes = [[1, ["#f6f7f9", "#ffffff", "#eef1f5"], "#ffffff"], [2, ["#0e131a", "#161d27", "#1f2834"], "#08121f"]];
  for (const [column, surfaces, text] of themes) {
    const colours = pairs.map((pair) => pair[column]);
    for (const [sight, rows] of Object.entries(sights)) {
      const seen = colours.map((hex) => lab(product(rows, linear(hex)).map((c) => Math.min(1, Math.max(0, c)))));
      seen.forEach((a, i) => seen.slice(0, i).forEach((b, k) => assert.ok(difference(a, b) >= 12,
        `${colours[i]} and ${colours[k]} differ by ${difference(a, b).toFixed(1)}: ${sight}`)));
    }
    for (const each of colours) {
      assert.ok(surfaces.every((surface) => contrast(each, surface) >= 3) && contrast(each, text) >= 4.5, each);
    }
  }
});
