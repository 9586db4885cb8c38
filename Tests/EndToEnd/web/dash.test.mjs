// The pure modules of dashboards and charts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ring, SteadyRange, binaryStep, digitsOf, niceStep, ticks, timeLabel, timeTicks } from "../../../public/chart/model.js";
import { decode, encode } from "../../../public/dash/address.js";
import { compose, place } from "../../../public/dash/compose.js";
import { columns, most, read, settle, version } from "../../../public/dash/layout.js";

/** Random numbers that come again. */
function random(seed) {
  return () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
}

test("a ring keeps its newest points and says what holds when", () => {
  const ring = new Ring(4);
  for (let i = 0; i < 10; i++) ring.push(i, i * i);
  assert.equal(ring.length, 4);
  assert.equal(ring.time(0), 6);
  assert.equal(ring.last, 9);
  assert.equal(ring.index(7.5), 2);
  assert.equal(ring.at(7.5), 49);
  assert.equal(ring.at(100), 81);
  assert.ok(Number.isNaN(ring.at(5)));
  ring.push(3, 1);
  assert.equal(ring.last, 9, "time does not go back");
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

test("pixel columns lose no extreme and no gap, whatever the points", () => {
  const next = random(7), out = new Float64Array(4 * 100);
  for (let round = 0; round < 200; round++) {
    const ring = new Ring(512);
    let t = 0;
    for (let i = 0; i < 50 + 500 * next(); i++) ring.push((t += 10 * next()), next() < 0.05 ? NaN : next() * 100 - 50);
    const from = t * next() * 0.5, to = from + t * 0.5, width = 1 + Math.floor(80 * next()), count = ring.columns(from, to, width, out);
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < count; i++) {
      assert.ok(out[4 * i] >= 0 && out[4 * i] < width);
      if (i) assert.ok(out[4 * i] > out[4 * i - 4], "columns go from left to right");
      if (out[4 * i + 1] === out[4 * i + 1]) { low = Math.min(low, out[4 * i + 1]); high = Math.max(high, out[4 * i + 2]); }
    }
    let last = NaN;
    for (let i = 0; i < ring.length && ring.time(i) <= to; i++) last = ring.value(i);
    assert.ok(Object.is(out[4 * count - 1], last), "the last entry ends with the value that holds");
    const extent = ring.extent(from, to);
    // A column that had a gap in it begins anew after the gap.
    if (extent && ![...Array(ring.length).keys()].some((i) => Number.isNaN(ring.value(i)))) assert.deepEqual([low, high], extent);
  }
});

test("gaps are spans; one that lasts is closed once", () => {
  const ring = new Ring(2);
  ring.openGap(5); ring.openGap(6);
  assert.deepEqual(ring.gaps, [{ from: 5, to: Infinity }]);
  ring.closeGap(9); ring.closeGap(10);
  assert.deepEqual(ring.gaps, [{ from: 5, to: 9 }]);
  for (let i = 0; i < 200; i++) { ring.openGap(i); ring.closeGap(i + 0.5); }
  assert.ok(ring.gaps.length <= 64);
});

test("steps and ticks are round", () => {
  assert.deepEqual([0.013, 0.2, 3, 7, 99].map(niceStep), [0.02, 0.2, 5, 10, 100]);
  assert.deepEqual([3, 700, 300_000].map(binaryStep), [5, 1000, 500 * 1024]);
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

test("a graph without a dashboard gets one of its nodes", () => {
  const nodes = [{ name: "t", kind: "mutable", type: "number", v: 20, title: "Warm" }, { name: "f", kind: "derived", v: 68 }, { name: "on", kind: "derived", v: true }, { kind: "chain", v: 1 },
    ...Array.from({ length: 40 }, (_, i) => ({ name: `n${i}`, kind: "mutable", type: "any" }))];
  const layout = compose(nodes);
  assert.ok(layout.widgets.length > 3 && layout.widgets.length <= 24);
  assert.deepEqual(read(layout).problems, []);
  assert.deepEqual(new Set(layout.widgets.map(({ kind }) => kind)), new Set(["series", "lamp", "editor"]));
});
