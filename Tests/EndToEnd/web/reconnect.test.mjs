// client.js over a way that breaks: resume, restart, silence, sets whose outcome is not known.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../../../public/client.js";
import { eventually, http, other, post, server, sleep, way } from "./support.mjs";

async function connected(t, options) {
  const road = await way(), states = [];
  const c = connect(road.url, { onState: (state) => states.push(state), ...options });
  t.after(() => { c.close(); road.close(); });
  await eventually(() => c.state.name === "live");
  return { road, c, states };
}

test("mode all resumes without missing or repeating one value", async (t) => {
  const { road, c } = await connected(t);
  await post("log", 0);
  const revs = [];
  let sum = 0, sent = 0;
  c.watch("g/log", Number, (value, meta) => { sum += value; revs.push(meta.rev); }, { mode: "all" });
  await eventually(() => revs.length === 1);
  const send = async (count) => { for (let i = 0; i < count; i++) { sent += 7; await post("log", 7); } };
  await send(5);
  road.state.refusing = true;
  road.cut();
  await send(20);
  road.state.refusing = false;
  await send(5);
  await eventually(() => c.state.name === "live" && sum === sent, 12_000);
  await send(3);
  await eventually(() => sum === sent);
  assert.equal(new Set(revs).size, revs.length, "no rev twice");
  assert.equal(revs.length, 34);
});

/** Breaks the connection, and mends it when `act` is done. */
async function away({ road, c, states }, act) {
  const lives = () => states.filter(({ name }) => name === "live").length, before = lives();
  road.state.refusing = true;
  road.cut();
  await eventually(() => c.state.name !== "live");
  await act();
  road.state.refusing = false;
  await eventually(() => lives() > before, 12_000);
  await c.list();
}

test("what the server no longer has is lost, and that is told in every mode and to onGap", async (t) => {
  const gaps = [], heard = {}, all = { mode: "all" };
  const line = await connected(t, { onGap: (gap) => gaps.push(gap) }), { c } = line;
  await post("short", 1);
  await post("x", 5);
  const hear = (name, target, given) => {
    heard[name] = [];
    return c.watch(target, null, (value, meta) => heard[name].push([value, meta.lost, meta.lostRevs, meta.gap > 0]), given);
  };
  hear("all", "g/short", all);
  hear("equal", "g/x", all);
  hear("both", "g/short,x", all);
  hear("latest", "g/short");
  hear("began", "g/short", { pipe: [{ window: { last: "10m", of: "avg" } }], keep: undefined });
  const haveOne = () => Object.values(heard).every(({ length }) => length === 1);
  await eventually(haveOne);
  assert.deepEqual(gaps, [], "a first connection has no gap");

  // Three values are within the history.
  await away(line, async () => { for (const value of [2, 3, 4]) await post("short", value); });
  await eventually(() => heard.all.length === 4 && gaps.length === 5);
  assert.deepEqual(heard.all.slice(1).map(([value, lost]) => [value, lost]), [[2, undefined], [3, undefined], [4, undefined]]);
  assert.deepEqual(heard.latest.at(-1), [4, undefined, undefined, true]);
  assert.deepEqual(gaps.filter(({ lost }) => lost).map(({ pipe, lostRevs }) => [!!pipe, lostRevs]), [[true, 3]]);
  assert.deepEqual(heard.equal.length, 1, "nothing of it was lost");

  // Ten are not; nor is a value that is set again, where each value counts.
  for (const each in heard) heard[each].length = 0;
  gaps.length = 0;
  await away(line, async () => {
    for (let value = 10; value < 20; value++) await post("short", value);
    await post("x", 5);
  });
  await eventually(() => haveOne() && gaps.length === 5);
  assert.deepEqual(heard.all, [[19, true, 11, true]]);
  assert.deepEqual(heard.equal, [[5, true, 11, true]]);
  assert.deepEqual(heard.both.map(([value, ...rest]) => [{ ...value }, ...rest]), [[{ short: 19, x: 5 }, true, 11, true]]);
  assert.deepEqual(heard.latest, [[19, undefined, undefined, true]], "the newest value is all that mode latest promises");
  assert.deepEqual(heard.began, [[19, true, 11, true]]);
  const told = gaps.map(({ graph, node, nodes, mode, pipe, lost }) => [graph, node ?? nodes.join(), mode ?? "latest", !!pipe, !!lost]);
  assert.deepEqual(told.sort().map(String), [
    "g,short,all,false,true", "g,short,latest,false,false", "g,short,latest,true,true", "g,short,x,all,false,true", "g,x,all,false,true",
  ]);
  assert.ok(gaps.every(({ gap, epoch, rev }) => gap > 0 && epoch && rev));
  // A view that joins late has missed nothing, and the next value says it no more.
  const late = c.watch("g/short", null, null, all);
  await eventually(() => late.meta);
  assert.deepEqual([late.value, late.meta.lost, late.meta.gap], [19, undefined, undefined]);
  await post("short", 20);
  await eventually(() => heard.all.length === 2);
  assert.deepEqual(heard.all[1], [20, undefined, undefined, false]);
});

test("mode latest resumes with the newest value, or with none where nothing is newer", async (t) => {
  const { road, c, states } = await connected(t);
  await post("x", 1);
  const heard = [];
  const handle = c.watch("g/double", Number, (value, meta) => heard.push([value, meta.gap]));
  await eventually(() => heard.length === 1);
  road.cut();
  await eventually(() => states.filter(({ name }) => name === "live").length === 2);
  await c.list();
  assert.deepEqual(heard, [[2, undefined]], "nothing newer, nothing told");
  assert.equal(handle.stale, false);
  assert.ok(c.state.gap >= 0);
  road.state.refusing = true;
  road.cut();
  await eventually(() => handle.stale);
  await post("x", 2);
  await post("x", 3);
  road.state.refusing = false;
  await eventually(() => heard.length === 2, 12_000);
  assert.equal(heard[1][0], 6);
  assert.ok(heard[1][1] > 0, "the gap is told");
});

test("another history: state is sent again, an equal value is not sent twice", async (t) => {
  const gaps = [], { road, c } = await connected(t, { onGap: (gap) => gaps.push(gap) });
  await post("x", 8);
  await fetch(`${other}/v1/graphs/g/nodes/x`, { method: "POST", body: "8" });
  await fetch(`${other}/v1/graphs/g/nodes/y`, { method: "POST", body: "77" });
  const x = [], y = [], topo = [];
  const handle = c.watch("g/x", Number, (value) => x.push(value));
  c.watch("g/y", null, (value, meta) => y.push(value) && meta.gap !== undefined && assert.equal(meta.lost, true));
  c.observe("g", ({ op, epoch }) => op === "topo" && topo.push(epoch));
  await eventually(() => x.length === 1 && y.length === 1 && topo.length === 1);
  road.state.target = new URL(other);
  road.cut();
  await eventually(() => y.length === 2 && topo.length === 2);
  assert.equal(y[1], 77);
  assert.deepEqual(x, [8]);
  assert.notEqual(topo[0], topo[1]);
  assert.deepEqual(gaps.map(({ node, lost, lostRevs }) => [node, lost, lostRevs]), [["x", true, undefined], ["y", true, undefined]]);
  assert.equal(handle.meta.lost, true, "of an equal value, too");
  assert.ok(c.state.gap >= 0);
});

test("a server that is silent counts as lost, though the socket was not closed", async (t) => {
  const { road, c, states } = await connected(t);
  const trip = await c.ping();
  assert.ok(trip > 0 && trip < 5000, `${trip} ms`);
  const start = Date.now();
  road.state.frozen = true;
  assert.equal(await c.ping(3), undefined, "no answer, and no error");
  assert.ok(Date.now() - start < 5000, "found within the limit");
  assert.equal(c.state.name, "reconnecting");
  assert.equal(await c.ping(), undefined, "nobody to ask");
  road.state.frozen = false;
  await eventually(() => c.state.name === "live", 15_000);
  assert.ok(states.some(({ reason, code }) => reason === "no answer" && code === 4508));
});

test("a set whose answer is lost has an unknown outcome, and repeating it cannot apply it twice", async (t) => {
  const { road, c } = await connected(t);
  const { rev } = await http("/v1/graphs/g");
  road.state.muted = true;
  const setting = c.set("g/any", { order: 1 });
  await eventually(async () => (await http("/v1/graphs/g")).rev === rev + 1);
  road.cut();
  road.state.muted = false;
  const error = await setting.then(() => null, (each) => each);
  assert.equal(error.code, "unknown-outcome");
  assert.equal(error.path, "g/any");
  await eventually(() => c.state.name === "live");
  assert.equal((await http("/v1/graphs/g")).rev, rev + 1, "not repeated silently");
  const answer = await error.repeat();
  assert.equal(answer.rev, rev + 1);
  assert.equal((await http("/v1/graphs/g")).rev, rev + 1, "applied once");
});

test("while there is no connection a set is refused at once, and is not kept for later", async (t) => {
  const { road, c } = await connected(t);
  road.state.refusing = true;
  road.cut();
  await eventually(() => c.state.name === "reconnecting");
  await assert.rejects(c.set("g/x", 4711), { code: "not-connected", path: "g/x" });
  road.state.refusing = false;
  await eventually(() => c.state.name === "live", 12_000);
  await sleep(50);
  assert.notEqual(await c.get("g/x"), 4711);
});

test("O-6: after a reconnect owners are named again, and what was released meanwhile stays released", async (t) => {
  const { road, c, states } = await connected(t);
  const panel = c.owner("panel"), side = c.owner("side"), ended = [];
  const held = panel.watch("g/double", Number, () => {}), shared = c.watch("g/deep", Number, () => {}, { owner: ["panel", "side"] });
  const gone = side.watch("g/sum", Number, (_, meta) => meta.ended && ended.push(meta.ended.code));
  await eventually(() => [held, shared, gone].every(({ value }) => value !== undefined));
  road.state.refusing = true;
  road.cut();
  await eventually(() => held.stale);
  side.release();
  assert.deepEqual(ended, ["closed"]);
  road.state.refusing = false;
  await eventually(() => states.filter(({ name }) => name === "live").length === 2, 12_000);
  await eventually(() => !held.stale && !shared.stale);
  const { listeners } = await http("/v1/graphs/g/listeners");
  const mine = listeners.find(({ l }) => l === c.session);
  assert.deepEqual(mine.owners, ["panel"]);
  assert.equal(mine.on.length, 2);
  panel.release();
  await eventually(async () => !(await http("/v1/graphs/g/listeners")).listeners.some(({ l }) => l === c.session));
});

test("K-1, K-2: an average continues after a reconnect, and begins anew when it was kept no longer", async (t) => {
  const { road, c } = await connected(t);
  await post("x", 2);
  const heard = [], brief = [], pipe = [{ window: { last: "10m", of: "avg" } }];
  const handle = c.watch("g/x", Number, (value) => heard.push(value), { pipe });
  const short = c.watch("g/x", Number, (value) => brief.push(value), { pipe, keep: 200 });
  await eventually(() => heard.length === 1 && brief.length === 1);
  await post("x", 4);
  await eventually(() => heard.at(-1) === 3 && brief.at(-1) === 3);
  road.state.refusing = true;
  road.cut();
  await eventually(() => handle.stale);
  await post("x", 9);
  await sleep(500);
  road.state.refusing = false;
  await eventually(() => !handle.stale && !short.stale && heard.at(-1) === 5, 12_000);
  assert.deepEqual(brief.at(-1), 9);
  await post("x", 5);
  await eventually(() => heard.at(-1) === 5 && brief.at(-1) === 7);
});

test("D-1, D-2: a producer receives what is wanted and what to load, and after a reconnect what is wanted no longer", async (t) => {
  const { road, c } = await connected(t);
  const client = connect(server.replace("http", "ws") + "/v1/ws"), heard = [];
  t.after(() => client.close());
  const demand = c.demand("g", ["y", "x"], (wanted, { m }) => heard.push([Object.keys(wanted), m]));
  await eventually(() => heard.length === 1);
  assert.deepEqual(heard[0], [[], { x: { wanted: false }, y: { wanted: false } }]);
  const watch = client.watch("g/y", Number, null, { load: true });
  await eventually(() => heard.length === 2);
  assert.deepEqual(heard[1], [["y"], { y: { wanted: true, load: true } }]);
  await c.load("g/y", { loading: true });
  await c.set("g/y", 1);
  road.state.refusing = true;
  road.cut();
  watch.close();
  client.watch("g/x", Number, null);
  await sleep(400);
  road.state.refusing = false;
  await eventually(() => heard.length === 3, 12_000);
  assert.deepEqual(heard[2], [["x"], { x: { wanted: true }, y: { wanted: false } }]);
  demand.close();
  await http("/v1/graphs/g/nodes/y/value", { method: "DELETE" });
});

test("X-10: links are made again with each connection, and end with their owner or handle", async (t) => {
  const line = await connected(t), { c } = line, panel = c.owner("panel"), news = [];
  const same = (wanted) => eventually(async () => (await c.get("g", ["y", "small"])).m.y?.v === wanted);
  await post("x", 1);
  const doubled = c.link("g", "double", "y", (value, { fail, ended }) => news.push(fail?.code ?? ended?.code ?? value));
  panel.sync("g", "small", "any", null, { to_b: "value + 1", to_a: "value - 1" });
  await same(2);
  await away(line, () => post("x", 4));
  await same(8);
  await post("small", 3);
  await eventually(async () => (await c.get("g", ["any"])).m.any.v === 4);
  await post("any", 99);
  await eventually(async () => (await c.get("g", ["any"])).m.any.v === 99);
  panel.release();
  doubled.close();
  await eventually(async () => !(await http("/v1/connections")).connections.some(({ links }) => links));
  await post("x", 5);
  await c.list();
  await same(8);
  assert.deepEqual(news, []);
});
