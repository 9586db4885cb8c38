// The page's modules that need no page: addresses, what is typed, how values read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAge, formatBytes, formatDuration, formatEntry, formatNumber, formatValue, plural, same } from "../../../public/lib/format.js";
import { GraphModel } from "../../../public/graph/model.js";
import { releasedWithout } from "../../../public/graph/owners.js";
import { bounds, choicesOf, control, fieldText, parseInput } from "../../../public/lib/input.js";
import { Store, graphPath, parse } from "../../../public/lib/dom.js";

test("addresses name views, graphs and what is chosen", () => {
  const read = (hash) => { const { name, params, query } = parse(hash); return [name, params, Object.fromEntries(query)]; };
  assert.deepEqual(read(""), ["home", {}, {}]);
  assert.deepEqual(read("#/"), ["home", {}, {}]);
  assert.deepEqual(read("#/g/house?node=plant&focus=up"), ["graph", { graph: "house" }, { node: "plant", focus: "up" }]);
  assert.deepEqual(read("#/g/house/dash?w=a%3Fb&kiosk=1"), ["dash", { graph: "house" }, { w: "a?b", kiosk: "1" }]);
  assert.deepEqual(read("#/g/a%2Fb/values"), ["values", { graph: "a/b" }, {}]);
  assert.deepEqual(read("#/clients/c:7"), ["clients", { id: "c:7" }, {}]);
  assert.deepEqual(read("#/clients"), ["clients", {}, {}]);
  for (const hash of ["#/g/", "#/g/%E0%A4%A", "#/g/a/b/c", "#nowhere", "#/g/x/dash/"]) assert.equal(parse(hash).name, "unknown", hash);
  assert.equal(graphPath("a/b", "dash"), "/g/a%2Fb/dash");
});

test("numbers are readable, and exact where they are short", () => {
  const cases = [[0, "0"], [-0, "0"], [20, "20"], [0.1 + 0.2, "0.3"], [24217.06, "24217.1"], [1234567.891, "1234568"], [1e21, "1.000e21"], [1.5e-9, "1.500e-9"],
    [-273.15, "-273.15"], [9007199254740993n, "9007199254740993"], [123456789012, "123456789012"]];
  for (const [value, text] of cases) assert.equal(formatNumber(value), text);
});

test("values, sizes and times read as people say them", () => {
  assert.equal(formatBytes(1536), "1.5 KiB");
  assert.equal(formatValue(2048, "B/s"), "2.0 KiB/s");
  assert.equal(formatValue("text"), "text");
  assert.equal(formatValue({ a: 12345678901234567890n }), '{"a":12345678901234567890}');
  assert.equal(formatEntry({ empty: true }), "empty");
  assert.equal(formatEntry({ v: null }), "none");
  assert.equal(formatEntry({ v: true }), "on");
  assert.equal(formatEntry({ fail: { code: "no_key", msg: "no such key" } }), "failed: no such key");
  const plain = (text) => text.replaceAll("\u202f", " ");
  assert.deepEqual([340, 12_000, 192_000, 3_600_000, 90_061_000].map((ms) => plain(formatDuration(ms))), ["340 ms", "12 s", "3 min 12 s", "1 h", "1 d 1 h"]);
  assert.deepEqual([0, 999, 12_400, 61_000].map((ms) => plain(formatAge(ms))), ["now", "now", "12 s ago", "1 min ago"]);
  assert.deepEqual([plural(1, "node"), plural(0, "node"), plural(2, "entry", "entries")], ["1 node", "0 nodes", "2 entries"]);
});

test("what is typed becomes a value of the type, or a sentence", () => {
  const number = { type: "number", min: 0, max: 100 };
  assert.deepEqual(["5", " +5 ", "5,5", ".5", "1e2", "5."].map((text) => parseInput(number, text).value), [5, 5, 5.5, 0.5, 100, 5]);
  assert.equal(parseInput({ type: "number" }, "−2.5").value, -2.5);
  for (const text of ["", "five", "5 6", "0x10", "Infinity", "NaN", "1,000,000", "--1"]) assert.ok(parseInput(number, text).error, text);
  assert.equal(parseInput({ type: "integer" }, "9223372036854775807").value, 9223372036854775807n);
  assert.equal(parseInput({ type: "string", maxLength: 2 }, "🙂🙂").value, "🙂🙂");
  assert.match(parseInput({ type: "string", maxLength: 2 }, "abc").error, /at most 2 characters; it has 3/);
  assert.deepEqual(parseInput({ type: "any" }, "on"), { value: "on" });
  assert.deepEqual(parseInput({ type: "any" }, "[1]"), { value: [1] });
  assert.ok(parseInput({ type: "any" }, "[1").error);
  assert.ok(parseInput({ type: "object" }, "null").error);
});

test("a field shows all of a value, and reading it back gives the same", () => {
  for (const [node, value] of [[{ type: "number" }, 24217.06], [{ type: "string" }, "12"], [{ type: "any" }, "12"], [{ type: "any" }, "true story"], [{ type: "any" }, "plain"],
    [{ type: "any" }, { a: [1, { b: null }] }], [{ type: "object" }, {}], [{ type: "integer" }, 9223372036854775807n], [{ type: "any" }, ""],
    [{ type: "any" }, { id: [9007199254740993n] }], [{ type: "any" }, 9007199254740993n]]) {
    assert.deepEqual(parseInput(node, fieldText(node, value)).value, value);
  }
});

test("kinds of fields, bounds in words, equal values", () => {
  assert.deepEqual([{ enum: [1] }, { type: "boolean" }, { type: "integer" }, { type: "string" }, { type: "string", maxLength: 500 }, { type: "any" }].map(control),
    ["select", "switch", "number", "text", "area", "json"]);
  assert.deepEqual([bounds({ min: 0, max: 9 }), bounds({ min: 0 }), bounds({ maxLength: 4 }), bounds({ type: "array", minLength: 1, maxLength: 2 }), bounds({}), bounds({ pattern: "^a+$" })],
    ["0 to 9", "at least 0", "at most 4 characters", "1 to 2 elements", "", "in the form ^a+$"]);
  assert.ok(same({ a: [1, 2], b: null }, { b: null, a: [1, 2] }));
  assert.ok(!same({ a: 1 }, { a: 1, b: undefined }) && !same([1], { 0: 1 }) && !same(null, {}) && !same("1", 1));
});

test("the store reports changes, but not to those who have left", () => {
  const store = new Store(), heard = [], end = new AbortController();
  store.set("a", 1);
  store.listen("a", (value) => heard.push(value), end.signal);
  store.set("a", 1);
  store.set("a", 2);
  end.abort();
  store.set("a", 3);
  assert.deepEqual(heard, [1, 2]);
});

/** The numbers of the nodes that a client, or one of its owners, would release. */
const released = (nodes, edges, who) => {
  const model = new GraphModel();
  model.apply({ op: "topo", nodes, edges: edges.map((edge, e) => ({ e, ...edge })), listeners: [] });
  return [...releasedWithout(model, who)].map((id) => model.nodes.get(id).n);
};

test("a client that leaves releases what only it owns and nothing that stays is made of", () => {
  const nodes = [{ n: 1, kind: "mutable", retain: "always", owners: ["c:1"] }, { n: 2, kind: "derived", retain: "whileInUse", owners: ["c:1"] },
    { n: 3, kind: "derived", retain: "whileInUse", owners: ["c:1"] }, { n: 4, kind: "derived", retain: "always", owners: ["c:1"] }, { n: 5, kind: "chain", owners: ["c:1"] },
    { n: 6, kind: "chain", owners: ["c:1", "c:2"] }, { n: 7, kind: "derived", owners: ["c:1"] }, { kind: "derived", name: "asleep", exists: false, owners: [] },
    { n: 8, kind: "chain", owners: ["c:1"], ownerCount: 300 }];
  const edges = [[1, 2], [2, 7], [7, 4], [1, 3], [3, 5], [3, 6]].map(([from, to]) => ({ from, to }));
  assert.deepEqual(released(nodes, edges, "c:1"), [3, 5], "2 and 7 are what 4 is made of");
  assert.deepEqual(released(nodes, edges, "c:2"), []);
});

test("O-5: an owner that is released takes what only it owns, its connection what any of its owners owns", () => {
  const nodes = [["c:1/panel"], ["c:1/panel", "c:1/side"], ["c:1", "c:1/panel"], ["c:1/panel", "c:2"], ["c:1/pan"], ["c:10/panel"]]
    .map((owners, n) => ({ n, kind: "chain", owners }));
  const without = (who) => released(nodes, [], who);
  assert.deepEqual(without("c:1/panel"), [0]);
  assert.deepEqual(without("c:1"), [0, 1, 2, 4]);
  assert.deepEqual(without("c:1/pan"), [4]);
  assert.deepEqual(without("c:2"), []);
});

test("X-4: words stand in place of values and their unit, and are the choices of a field", () => {
  const words = { true: "open", false: "closed", 1: "runs", '"eco"': "saving", null: "unknown" };
  const cases = [[true, "open"], [1, "runs"], [1n, "runs"], ["eco", "saving"], [null, "unknown"], [2, "2\u202f°C"], ["1", "1\u202f°C"]];
  for (const [value, text] of cases) assert.equal(formatValue(value, "°C", words), text);
  assert.equal(formatValue("toString", "", {}), "toString");
  assert.equal(formatEntry({ v: { a: 1 } }, "", words), '{"a":1}');
  assert.deepEqual(choicesOf({ type: "string", words: { '"a"': "A", 1: "one" } }), ["a"]);
  assert.deepEqual(choicesOf({ type: "integer", min: 0, max: 1, words: { 0: "off", 1: "on" } }), [0, 1]);
  for (const open of [{ type: "integer", words: { 0: "off" } }, { type: "integer", min: 0, max: 9, words: { 0: "off" } },
    { type: "number", words: { 0: "off" } }, { type: "boolean", words }]) assert.equal(choicesOf(open), undefined);
  assert.equal(control({ type: "boolean", words }), "switch");
});
