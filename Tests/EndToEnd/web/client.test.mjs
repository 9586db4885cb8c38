// client.js against a server: values, types, sets, groups, pipelines, streams, ownership.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { connect } from "../../../public/client.js";
import { eventually, http, other, post, server, sleep } from "./support.mjs";

const c = connect(`${server}/v1/ws`, { client: "node" });
after(() => c.close());
const live = (client) => eventually(() => client.state.name === "live");
const listeners = async () => (await http("/v1/graphs/g")).listeners;
/** How many there are once the earlier tests have released theirs. */
const settled = async () => { await sleep(350); return listeners(); };

test("it becomes live and knows its limits", async () => {
  await live(c);
  assert.equal(c.limits.msg, 65536);
  assert.match(c.session, /^c:/);
});

test("a read waits for the first connection, and is refused if there is none", async () => {
  await post("x", 4);
  const mine = connect(`${server}/v1/ws`), [value, graphs] = await Promise.all([mine.get("g/x", Number), mine.list()]);
  assert.equal(value, 4);
  assert.equal(graphs[0].graph, "g");
  mine.close();
  await assert.rejects(mine.get("g/x"), { code: "not-connected" });
  const lost = connect("ws://127.0.0.1:1/v1/ws");
  await assert.rejects(lost.get("g/x"), { code: "not-connected" });
  lost.close();
});

test("without a WebSocket the state says what is missing", async () => {
  const errors = [], mine = connect(`${server}/v1/ws`, { WebSocket: null, onError: (error) => errors.push(error.message) });
  assert.equal(mine.state.name, "closed");
  assert.match(mine.state.reason, /WebSocket/);
  assert.deepEqual(errors, [mine.state.reason]);
  await assert.rejects(mine.get("g/x"), { code: "not-connected" });
});

test("a watched value comes at once and at every change, with what is known about it", async () => {
  await post("x", 1);
  const heard = [];
  const handle = c.watch("g/deep", Number, (value, meta) => heard.push([value, meta]));
  await eventually(() => heard.length === 1);
  assert.equal(heard[0][0], 30);
  const { rev } = await post("x", 21.5);
  await eventually(() => heard.length === 2);
  assert.equal(heard[1][0], 440);
  assert.equal(heard[1][1].rev, rev);
  assert.equal(heard[1][1].folded, 1);
  assert.ok(heard[1][1].t > 1.7e12 && heard[1][1].epoch);
  assert.equal(handle.value, 440);
  assert.equal(handle.stale, false);
  handle.close();
});

test("equal requests share one subscription, which outlives a quarter of a second without anybody", async () => {
  const before = await settled();
  const first = c.watch("g/sum", Number, () => {}), heard = [];
  await eventually(() => first.value !== undefined);
  const second = c.watch("g/sum", Number, (value) => heard.push(value));
  await eventually(() => heard.length === 1);
  assert.equal(await listeners(), before + 1);
  first.close();
  second.close();
  const third = c.watch("g/sum", Number, () => {});
  await sleep(400);
  assert.equal(await listeners(), before + 1, "asked for again within the pause");
  third.close();
  await eventually(async () => (await listeners()) === before);
});

test("types are checked at the boundary, and a wrong one breaks nothing", async () => {
  await post("any", "text");
  const results = {};
  const handles = [Number, String, Boolean, BigInt].map((type) =>
    c.watch("g/any", type, (value, meta) => { results[type.name] = meta.fail?.code ?? value; }));
  const validated = c.watch("g/any", (value) => {
    if (typeof value !== "string") throw new TypeError("no text");
    return value.toUpperCase();
  }, (value, meta) => { results.own = meta.fail?.msg ?? value; });
  await eventually(() => Object.keys(results).length === 5);
  assert.deepEqual(results, { Number: "type_mismatch", String: "text", Boolean: "type_mismatch", BigInt: "type_mismatch", own: "TEXT" });
  await post("any", true);
  await eventually(() => results.Boolean === true);
  assert.equal(results.own, "no text");
  for (const handle of [...handles, validated]) handle.close();
});

test("integers of 64 bits keep every digit in both directions", async () => {
  const heard = [];
  const handle = c.watch("g/any", BigInt, (value) => heard.push(value));
  await c.set("g/any", 9223372036854775807n);
  await eventually(() => heard.at(-1) === 9223372036854775807n);
  assert.equal(await (await fetch(`${server}/v1/graphs/g/nodes/any`)).text(), "9223372036854775807");
  await c.set("g/any", { deep: [-9007199254740993n] });
  assert.deepEqual(await c.get("g/any"), { deep: [-9007199254740993n] });
  await c.set("g/any", 7);
  await eventually(() => heard.at(-1) === 7n);
  handle.close();
});

test("a set resolves when it is accepted, and is refused with a code and a path", async () => {
  const { rev, epoch } = await c.set("g/y", 5);
  assert.ok(rev > 0 && epoch);
  assert.equal(await c.get("g/y", Number), 5);
  await c.set("g", { x: 2, y: 6 }, { ctx: { src: "test" } });
  const answer = await c.get("g", ["x", "y"]);
  assert.deepEqual([answer.m.x.v, answer.m.y.v], [2, 6]);
  await assert.rejects(c.set("g/y", "six"), { name: "SluiceError", code: "type_mismatch", path: "g/y" });
  await assert.rejects(c.set("g", { x: 1, small: 11 }), { code: "type_mismatch", path: "g/small" });
  await assert.rejects(c.set("g/nope", 1), { code: "unknown_node", path: "g/nope" });
  await assert.rejects(c.set("g/deep", 1), { code: "not_mutable" });
  await assert.rejects(c.set("g/y", NaN), { code: "type_mismatch" });
  await assert.rejects(c.set("g/y", undefined), { code: "type_mismatch" });
  await assert.rejects(c.set("g/any", "x".repeat(70000)), { code: "too_large", path: "g/any" });
  await assert.rejects(c.set("g/y", 1, { if: { y: { v: 99 } } }), { code: "conflict" });
  assert.equal(await c.get("g/y"), 6);
  await c.set("g", {}, { clear: ["y"] });
  assert.equal(await c.get("g/y"), undefined);
});

test("a read includes the commit that it is told, or says that it is gone", async () => {
  const after = await c.set("g/x", 77);
  assert.equal(await c.get("g/x", Number, { after }), 77);
  assert.equal((await c.get("g", ["x"], { after })).m.x.v, 77);
  await assert.rejects(c.get("g/x", Number, { after: { epoch: "another", rev: 1 } }), { code: "gone" });
  await assert.rejects(c.get("g/x", Number, { after: { ...after, rev: after.rev + 9 } }), { code: "not_ready", retry: true });
});

test("several nodes by name and glob are one subscription; combine and pipelines run on the server", async () => {
  await c.set("g", { x: 3, y: 4 });
  let group, changed;
  const many = c.watch("g/x,d*", null, (values, meta) => { group = { ...values }; changed = meta.changed; });
  const both = [], warm = [];
  const combined = c.watch({ graph: "g", combine: { a: "x", b: "y" } }, null, (value) => both.push(value));
  const piped = c.watch("g/x", Number, (value) => warm.push(value), { pipe: [{ map: "value * 10" }, "distinct"] });
  await eventually(() => group && both.length && warm.length);
  assert.deepEqual(group, { x: 3, double: 6, deep: 70 });
  assert.deepEqual(both, [{ a: 3, b: 4 }]);
  assert.deepEqual(warm, [30]);
  await c.set("g/x", 5);
  await eventually(() => group.deep === 110 && warm.at(-1) === 50 && both.at(-1).a === 5);
  assert.deepEqual(changed.sort(), ["deep", "double", "x"]);
  for (const handle of [many, combined, piped]) handle.close();
});

test("a subscription that the server refuses says so, with the place, and can be asked for again", async () => {
  const heard = [];
  const handle = c.watch("g/x", Number, (value, meta) => heard.push(meta.ended), { pipe: [{ map: "value +" }] });
  const missing = c.watch("g/nope", Number, (value, meta) => heard.push(meta.ended));
  await eventually(() => heard.length === 2);
  assert.equal(heard[0].code, "expr_syntax");
  assert.ok(heard[0].problems[0].column > 0);
  assert.equal(heard[1].code, "unknown_node");
  assert.ok(handle.stale && missing.stale);
  missing.again();
  await eventually(() => heard.length === 3);
  handle.close();
  missing.close();
});

test("a stream gives values to for await, and ends with its loop", async () => {
  await post("y", 1);
  const before = await settled(), seen = [];
  const sending = (async () => { for (const value of [2, 3, 4]) { await sleep(50); await post("y", value); } })();
  for await (const value of c.stream("g/y", Number, { mode: "all" })) {
    seen.push(value);
    if (value === 4) break;
  }
  await sending;
  assert.deepEqual(seen, [1, 2, 3, 4]);
  await eventually(async () => (await listeners()) === before);
});

test("a stream of several nodes in mode all gives an object for each commit", async () => {
  await c.set("g", { x: 1, y: 1 });
  const seen = [], stream = c.stream("g/x,y", null, { mode: "all" });
  const reading = (async () => { for await (const value of stream) if (seen.push(value) === 4) break; })();
  await eventually(() => seen.length === 1);
  await Promise.all([c.set("g", { x: 2, y: 2 }), c.set("g/x", 3), c.set("g/y", 4)]);
  await reading;
  assert.deepEqual(seen, [{ x: 1, y: 1 }, { x: 2, y: 2 }, { x: 3, y: 2 }, { x: 3, y: 4 }]);
});

test("observing owns nothing", async () => {
  const before = await settled(), events = [];
  const handle = c.observe("g", (event) => events.push(event), { every: 50 });
  await eventually(() => events.length);
  assert.equal(events[0].op, "topo");
  assert.equal(await listeners(), before);
  const watching = c.watch("g/deep", Number, () => {});
  await eventually(() => events.some((event) => event.op === "topod" && event.add?.nodes?.some((node) => node.name === "deep")));
  watching.close();
  await eventually(() => events.some((event) => event.op === "topod" && event.del?.nodes?.some((node) => node.reason === "last_owner")));
  handle.close();
});

test("values computed by expressions come back, a condition that is false refuses, a glob clears", async () => {
  await c.set("g", { x: 5, y: 1 });
  const done = await c.update("g", { x: "value - a", y: "value + a" }, { with: { a: "x" }, if: "a >= 5" });
  assert.deepEqual(done.values, { x: 0, y: 6 });
  assert.deepEqual((await c.update("g/y", "value + 1")).values, { y: 7 });
  await assert.rejects(c.update("g/y", "value + 1", { with: { a: "x" }, if: "a >= 5" }), { code: "conflict" });
  await assert.rejects(c.update("g/y", "value +"), { code: "expr_syntax" });
  await c.wipe("g", "y");
  assert.equal(await c.get("g/y"), undefined);
});

test("presence lasts as long as the client, also over a new connection", async () => {
  const sockets = [], errors = [];
  class Seen extends WebSocket { constructor(...given) { sockets.push(super(...given)); } }
  const mine = connect(`${server}/v1/ws`, { WebSocket: Seen, onError: (error) => errors.push(error) });
  // Set before there is a connection, it is sent with the first.
  assert.equal(await mine.presence("g/any", "here"), null);
  await eventually(async () => (await c.get("g/any")) === "here");
  assert.ok((await mine.presence("g/any", "busy")).rev);
  const values = [], seen = c.watch("g/any", null, (value) => values.push(value));
  await eventually(() => values.at(-1) === "busy");
  sockets[0].close();
  await eventually(() => values.length > 2 && values.at(-1) === "busy");
  assert.equal(values.at(-2), undefined, "the server forgot it with the connection");
  await mine.presence("g/any");
  await eventually(async () => (await c.get("g/any")) === undefined);
  sockets[1].close();
  await eventually(() => sockets.length === 3 && mine.state.name === "live");
  await mine.ping();
  assert.equal(await c.get("g/any"), undefined, "what was let go is not said again");
  await mine.presence("g/any", "last");
  mine.close();
  await eventually(async () => (await c.get("g/any")) === undefined);
  seen.close();
  assert.deepEqual(errors, []);
});

test("a presence that is refused on a new connection is reported", async () => {
  const errors = [], mine = connect(`${server}/v1/ws`, { onError: (error) => errors.push(error.code) });
  mine.presence("g/none", 1);
  await eventually(() => errors.length);
  assert.deepEqual(errors, ["unknown_node"]);
  mine.close();
});

test("closing ends watches and streams, and everything they owned", async () => {
  const mine = connect(`${server}/v1/ws`), before = await settled(), ends = [];
  mine.watch("g/deep", Number, (value, meta) => meta.ended && ends.push(meta.ended.code));
  const reading = (async () => { for await (const value of mine.stream("g/x", Number)) void value; return "over"; })();
  await eventually(async () => (await listeners()) === before + 2);
  mine.close();
  assert.equal(await reading, "over");
  assert.deepEqual(ends, ["closed"]);
  assert.equal(mine.state.name, "closed");
  await assert.rejects(mine.set("g/x", 1), { code: "not-connected" });
  await eventually(async () => (await listeners()) === before);
});

test("O-6: an owner's watches end with it, in the server too, and others stay", async () => {
  const before = await settled(), heard = [];
  const panel = c.owner("panel"), side = c.owner("side");
  const first = panel.watch("g/sum", Number, (value, meta) => heard.push(meta.ended?.code ?? value));
  const same = panel.watch("g/sum", Number, () => {}), several = panel.watch("g/do*,x", null, () => {});
  const others = [side.watch("g/sum", Number, () => {}), c.watch("g/sum", Number, () => {})];
  await eventually(() => [first, same, several, ...others].every((each) => each.value !== undefined));
  assert.equal(await listeners(), before + 4, "equal requests of one owner share a subscription, those of others do not");
  const picture = await http("/v1/graphs/g/graph?live=1");
  assert.deepEqual(picture.listeners.find(({ l }) => l === c.session).owners, ["panel", "side"]);
  panel.release();
  assert.equal(heard.at(-1), "closed");
  assert.ok(first.stale && several.stale && !others[0].stale);
  await eventually(async () => (await listeners()) === before + 2);
  heard.length = 0;
  await post("x", 12);
  await eventually(() => others.every(({ value }) => value === 36));
  assert.deepEqual(heard, []);
  for (const each of [first, same, several, ...others]) each.close();
  await eventually(async () => (await listeners()) === before);
});

test("O-6: an owner may be used again at once, also from what its end calls; using releases it", async () => {
  const before = await settled(), panel = c.owner("panel"), values = [];
  let again;
  const handle = panel.watch("g/sum", Number, (value, { ended }) => {
    if (ended) again ??= panel.watch("g/sum", Number, (each, meta) => meta.ended ?? values.push(each));
  });
  await eventually(() => handle.value !== undefined);
  panel.release();
  await eventually(() => values.length === 1);
  await sleep(400);
  assert.equal(await listeners(), before + 1, "what was asked for after the release stays");
  panel[Symbol.dispose]();
  await eventually(async () => (await listeners()) === before);
  panel.release();
});

test("O-6: a stream of an owner ends with it", async () => {
  const before = await settled(), panel = c.owner("panel"), values = [];
  for await (const value of panel.stream("g/x", Number)) {
    values.push(value);
    panel.release();
  }
  assert.equal(values.length, 1);
  await eventually(async () => (await listeners()) === before);
});

test("O-6: what several owners share stays until the last is released", async () => {
  const before = await settled();
  const handle = c.watch("g/sum", Number, () => {}, { owner: ["panel", "side"] });
  await eventually(() => handle.value !== undefined);
  c.owner("panel").release();
  await c.list();
  assert.ok(!handle.stale);
  const own = c.owner("panel").watch("g/sum", Number, () => {});
  await eventually(() => own.value !== undefined);
  c.owner("side").release();
  assert.ok(handle.stale);
  await eventually(async () => (await listeners()) === before + 1);
  c.owner("panel").release();
  await eventually(async () => (await listeners()) === before);
});

test("L-4: with a history the state of the present value comes as well", async () => {
  await post("short", 1);
  await http("/v1/graphs/g/nodes/short/load", { method: "POST", body: JSON.stringify({ progress: 0.5 }) });
  const seen = [], options = { facets: true, history: 3 };
  const handle = c.watch("g/short", Number, (value, { state, history, same }) => seen.push([value, state?.progress, history, same]), options);
  await eventually(() => seen.length === 2);
  assert.deepEqual(seen, [[1, undefined, true, undefined], [1, 0.5, undefined, true]]);
  handle.close();
  await http("/v1/graphs/g/nodes/short/load", { method: "POST", body: JSON.stringify({ error: { code: "over" } }) });
});

test("L-4: with facets a listener also receives the state besides the value, and keeps the value", async () => {
  const report = (node, what) => http(`/v1/graphs/g/nodes/${node}/load`, { method: "POST", body: JSON.stringify(what) });
  await post("x", 3);
  const one = [], many = [], plain = [];
  const handle = c.watch("g/x", Number, (value, meta) => one.push([value, meta.state, meta.same]), { facets: true });
  const group = c.watch("g/x,sum", null, (values, { m, changed }) => many.push([{ ...values }, m, changed]), { facets: true });
  const other = c.watch("g/x", Number, (value, meta) => plain.push([value, meta.state]));
  await eventually(() => one.length && many.length && plain.length);
  assert.deepEqual([one[0][0], Object.keys(one[0][1]), one[0][2]], [3, ["t"], undefined]);
  await report("x", { progress: 0.5 });
  await eventually(() => one.length === 2 && many.length === 2);
  assert.equal(one[1][0], 3);
  assert.deepEqual([one[1][1].loading, one[1][1].progress, one[1][2]], [true, 0.5, true]);
  assert.deepEqual(many[1][0], { x: 3, sum: 9 });
  assert.deepEqual([many[1][1].sum.v, many[1][1].sum.state.loading, many[1][1].sum.same], [9, true, true]);
  // A late listener receives a value, not a change of one it has not seen.
  const late = [], second = c.watch("g/x", Number, (value, meta) => late.push([value, meta.state.loading, meta.same]), { facets: true });
  await eventually(() => late.length);
  assert.deepEqual(late, [[3, true, undefined]]);
  await post("x", 4);
  await eventually(() => one.length === 3 && many.at(-1)[1].sum?.v === 12);
  assert.deepEqual([one[2][0], Object.keys(one[2][1]), one[2][2]], [4, ["t"], undefined]);
  await post("x", 5);
  await eventually(() => one.length === 4 && one[3][1].t);
  assert.deepEqual(plain.map(([value, state]) => [value, state]), [[3, undefined], [4, undefined], [5, undefined]]);
  for (const each of [handle, group, other, second]) each.close();
});

test("X-11: two bridges that mirror each other do not echo", async () => {
  // The function of docs/cookbook.md.
  function bridge(from, to, a, b) {
    return from.watch(a, null, (value, { empty, path }) => {
      if (!empty) to.set(b, value, { path });
    }, { path: true });
  }
  const [one, two] = [c, connect(`${other}/v1/ws`)];
  await Promise.all([live(one), live(two)]);
  const seen = { one: [], two: [] }, skipped = [];
  const note = (set) => async (...given) => {
    const answer = await set(...given);
    if (answer.skipped) skipped.push([answer.skipped, answer.rev]);
    return answer;
  };
  const [toOne, toTwo] = [one, two].map((client) => ({ set: note(client.set) }));
  const watches = [
    one.watch("g/any", null, (value, { path, origin }) => seen.one.push([value, path, origin]), { path: true, mode: "all" }),
    two.watch("g/any", null, (value, { path }) => seen.two.push([value, path]), { path: true, mode: "all" }),
    bridge(one, toTwo, "g/any", "g/any"),
    bridge(two, toOne, "g/any", "g/any"),
  ];
  await eventually(() => seen.one.length && seen.two.length);
  await one.set("g/any", "from one");
  await eventually(() => seen.two.at(-1)[0] === "from one" && skipped.length);
  await two.set("g/any", "from two");
  await eventually(() => seen.one.at(-1)[0] === "from two" && skipped.length > 1);
  // A bridge that answers would have done so by now.
  await one.set("g/any", "again");
  await eventually(() => seen.two.at(-1)[0] === "again" && skipped.length > 2);
  assert.deepEqual(seen.two.map(([value]) => value).filter((value) => value), ["from one", "from two", "again"]);
  const [value, path, origin] = seen.one.at(-2);
  assert.deepEqual([value, path.length, path[0] === path[1], origin], ["from two", 2, false, "set"]);
  assert.deepEqual(skipped, Array(3).fill([["any"], undefined]));
  const group = [];
  watches.push(one.watch("g/any,y", null, (_, { m }) => group.push(m), { path: true }));
  await eventually(() => group.length);
  assert.deepEqual([group[0].any.path.length, group[0].any.origin], [1, "set"]);
  for (const each of watches) each.close();
  two.close();
});
