// The pure modules of dashboards and charts.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  SteadyRange, binaryStep, byteLabel, digitsOf, niceStep, ticks, timeLabel, timeTicks,
} from "../../../public/chart/scale.js";
import { decode, encode } from "../../../public/dash/address.js";
import { compose, leftOut, place } from "../../../public/dash/compose.js";
import { Feeds, Ring } from "../../../public/dash/feeds.js";
import { scaleOf } from "../../../public/dash/kiosk.js";
import { columns, most, read, settle, version } from "../../../public/dash/layout.js";
import { toneOf, toneOfNode } from "../../../public/widgets/tone.js";

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

test("the extent of a ring has the value that held at its beginning", () => {
  const ring = new Ring(8);
  ring.push(0, 50); ring.push(10, 1); ring.push(11, 2); ring.push(12, NaN);
  assert.deepEqual(ring.extent(5, 20), [1, 50]);
  assert.deepEqual(ring.extent(10, 20), [1, 50], "the value before 10 held until then");
  assert.equal(new Ring(2).extent(0, 1), null);
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

test("a trace loses no extreme and no gap, whatever the points", () => {
  const next = random(7);
  for (let round = 0; round < 200; round++) {
    const ring = new Ring(512), hasGaps = round % 2;
    let t = 0;
    for (let i = 0; i < 50 + 500 * next(); i++) ring.push((t += 10 * next()), hasGaps && next() < 0.05 ? NaN : next() * 100 - 50);
    const from = t * next() * 0.5, to = from + t * 0.5, width = 1 + Math.floor(80 * next()), pen = new Pen(), held = ring.trace(pen, from, to, 8, width, (v) => v);
    assert.ok(pen.points.every(([x], i) => x >= 8 && x <= 8 + width && (!i || x >= pen.points[i - 1][0])), "it goes from left to right");
    assert.ok(Object.is(held, ring.at(to)), "it ends with the value that holds");
    const ys = pen.points.map(([, y]) => y), extent = ring.extent(from, to);
    // A column that had a gap in it begins anew after the gap.
    if (!hasGaps) assert.deepEqual([Math.min(...ys), Math.max(...ys)], extent);
  }
  const ring = new Ring(8), pen = new Pen();
  ring.push(0, 1); ring.push(20, NaN); ring.push(60, 3);
  ring.trace(pen, 0, 100, 0, 100, (v) => v);
  assert.deepEqual(pen.lines.map((line) => [line[0], line.at(-1)]), [[[0.5, 1], [20.5, 1]], [[60.5, 3], [100, 3]]], "no line where there was no number");
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

test("a range of values does not breathe", () => {
  const range = new SteadyRange(), after = (extent, now) => { range.fit(extent, now); return [range.low, range.high]; };
  assert.deepEqual(after([0, 9], 0), [0, 10]);
  assert.deepEqual(after([1, 8], 1000), [0, 10]);
  const grown = after([1, 12], 2000), [, high] = grown;
  assert.ok(high >= 12, "it grows at once");
  for (let t = 3000; t < 12_000; t += 1000) assert.deepEqual(after([1, 2], t), grown, "and shrinks late");
  range.fit([1, 2], 14_000);
  assert.ok(range.high < high);
  const fixed = new SteadyRange(0, 100);
  fixed.fit([40, 50], 0);
  assert.deepEqual([fixed.low, fixed.high], [0, 100]);
  const flat = new SteadyRange();
  flat.fit([5, 5], 0);
  assert.ok(flat.low < 5 && flat.high > 5);
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

test("X-5: charts begin with steps of time: those that are shown, then the older ones", async ({ mock }) => {
  const asked = [], now = Date.now();
  mock.method(globalThis, "fetch", async (path) => {
    const query = Object.fromEntries(new URL(path, "http://x").searchParams);
    asked.push(query);
    const t = Number(query.begin) + 1000;
    return { ok: true, json: async () => ({ epoch: "e", step: 600, d: [{ t, n: 3, min: 1, max: 9, mean: 4, v: 5 }, { t: t + 600, n: 1, min: 7, max: 7, mean: 7, v: 7 }] }) };
  });
  const client = { watch: (target, type, hear, options) => ({ options: asked.push(options), close() {} }) };
  const feeds = new Feeds(client, "g", () => ({ kind: "mutable", history: 5, steps: { every: 600, for: 86_400_000 } }));
  const { feed } = feeds.open("x", undefined, 64, () => {}, 300_000);
  await feed.older;
  const [options, shown, older] = asked;
  assert.equal(options.history, undefined, "single values are not asked for twice");
  assert.ok(Math.abs(now - 300_000 - shown.begin) < 5_000 && shown.points === "1000" && shown.end === undefined);
  assert.ok(Math.abs(now - 86_400_000 - older.begin) < 5_000 && Number(older.end) === Number(shown.begin) - 1);
  const points = Array.from({ length: feed.ring.length }, (_, i) => feed.ring.value(i));
  assert.deepEqual(points, [1, 9, 5, 7, 1, 9, 5, 7]);
});
