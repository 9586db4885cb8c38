// client.js with a socket made of plain calls: close codes, pauses, frames that are not as they
// should be.
import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { connect, decode, encode } from "../../../public/client.js";
import { FakeSocket } from "./support.mjs";

let c, states, errors;
function start(options) {
  FakeSocket.made = [];
  states = [];
  errors = [];
  c = connect("ws://127.0.0.1:1/v1/ws", {
    WebSocket: FakeSocket, onState: (state) => states.push(state), onError: (error) => errors.push(error), ...options,
  });
  return FakeSocket.last;
}
const clock = () => mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 1_763_690_000_000 });
afterEach(() => { c.close(); mock.timers.reset(); mock.restoreAll(); });

test("the subprotocol is offered and hello is said first", () => {
  const socket = start({ client: "wall", token: "slc_1" });
  assert.equal(socket.protocol, "sluice.v1.json");
  c.watch("g/x", Number, () => {});
  socket.open();
  assert.deepEqual(socket.sent.map(({ op }) => op), ["hello", "sub"]);
  assert.equal(socket.sent[0].client, "wall");
  assert.equal(socket.sent[0].token, "slc_1");
  assert.deepEqual(states.map(({ name }) => name), ["connecting", "live"]);
});

test("close codes from 4000 to 4499 are final, until a new attempt", () => {
  clock();
  for (const code of [4000, 4401, 4408, 4429, 4499]) {
    start().open();
    FakeSocket.last.end(code, "why");
    mock.timers.tick(60_000);
    assert.equal(c.state.name, "closed");
    assert.deepEqual([c.state.code, c.state.reason, FakeSocket.made.length], [code, "why", 1]);
    c.retry();
    assert.equal(FakeSocket.made.length, 2);
    c.close();
  }
});

test("a server without a token for it is closed to it, not to be tried again and again", () => {
  clock();
  const socket = start();
  socket.readyState = 1;
  socket.onopen();
  socket.tell({ op: "err", id: socket.sent[0].id, code: "unauthenticated", msg: "send hello with a token first", retry: false });
  assert.deepEqual([c.state.name, c.state.code, c.state.reason], ["closed", 4401, "unauthenticated"]);
  mock.timers.tick(60_000);
  assert.equal(FakeSocket.made.length, 1);
});

function refuseHello(code) {
  const socket = FakeSocket.last;
  socket.readyState = 1;
  socket.onopen();
  socket.tell({ op: "err", id: socket.sent[0].id, code, msg: "why" });
}

test("a server that cannot fetch the keys of an issuer is tried again", () => {
  clock();
  start();
  refuseHello("issuer_down");
  assert.equal(c.state.code, 4503);
  mock.timers.tick(c.state.at - Date.now());
  assert.equal(FakeSocket.made.length, 2);
});

test("the end of a token leads to one try, because a proxy may have the next one", () => {
  clock();
  start().open();
  FakeSocket.last.end(4401, "token_expired");
  mock.timers.tick(60_000);
  assert.equal(FakeSocket.made.length, 2);
  FakeSocket.last.open();
  assert.equal(c.state.name, "live");
  FakeSocket.last.end(4401, "token_expired");
  mock.timers.tick(60_000);
  refuseHello("token_expired");
  assert.deepEqual([c.state.name, c.state.reason], ["closed", "token_expired"]);
  mock.timers.tick(60_000);
  assert.equal(FakeSocket.made.length, 3);
});

test("all other ends lead to another try, with pauses that grow up to ten seconds and are drawn by lot", () => {
  clock();
  mock.method(Math, "random", () => 0.5);
  const socket = start();
  socket.open();
  socket.end(1006);
  const pauses = [];
  for (let i = 0; i < 8; i++) {
    pauses.push(c.state.at - Date.now());
    mock.timers.tick(c.state.at - Date.now());
    FakeSocket.last.end(1006);
  }
  assert.deepEqual(pauses, [125, 250, 500, 1000, 2500, 5000, 5000, 5000]);
});

test("after half a minute it is offline, and says when it was lost", () => {
  clock();
  const socket = start();
  socket.open();
  const lost = Date.now();
  socket.end(1006);
  for (let i = 0; i < 40; i++) { mock.timers.tick(1000); if (FakeSocket.last.readyState === 0) FakeSocket.last.end(1006); }
  assert.equal(c.state.name, "offline");
  assert.equal(c.state.since, lost);
  c.retry();
  FakeSocket.last.open();
  assert.equal(c.state.name, "live");
  assert.ok(c.state.gap >= 40_000);
});

test("a server that stops names the pause", () => {
  clock();
  start().open();
  FakeSocket.last.end(4503, '{"after":3210}');
  assert.equal(c.state.at - Date.now(), 3210);
  mock.timers.tick(3209);
  assert.equal(FakeSocket.made.length, 1);
  mock.timers.tick(1);
  assert.equal(FakeSocket.made.length, 2);
});

test("unknown kinds and fields are ignored", () => {
  const socket = start(), heard = [];
  socket.open({ colour: "blue" });
  c.watch("g/x", Number, (value) => heard.push(value));
  const { id } = socket.sent.at(-1);
  for (const message of [{ op: "weather", id }, {}, [], null, { op: "upd", d: [{ id: 999, v: 1 }] }, { op: "end", id: 999 }, { op: "ok", id: 999 }]) {
    socket.tell(message);
  }
  socket.tell({ op: "snap", id, epoch: "e", rev: 1, t: 1, v: 5, colour: "blue" });
  assert.deepEqual(heard, [5]);
  assert.deepEqual(errors, []);
});

test("a frame that cannot be read is reported once and leads to another connection", () => {
  clock();
  const socket = start();
  socket.open();
  socket.tell("{broken");
  socket.tell("{broken");
  assert.equal(errors.length, 1);
  assert.equal(c.state.name, "reconnecting");
});

test("what a listener throws is reported and does not stop the others", () => {
  const socket = start(), heard = [];
  socket.open();
  c.watch("g/x", Number, () => { throw new Error("mine"); });
  c.watch("g/x", Number, (value) => heard.push(value));
  socket.tell({ op: "snap", id: socket.sent.at(-1).id, epoch: "e", rev: 1, t: 1, v: 5 });
  assert.deepEqual(heard, [5]);
  assert.equal(errors[0].message, "mine");
});

test("a subscription continues from its own last delivery, not from the graph's newest rev", () => {
  clock();
  const socket = start();
  socket.open();
  c.watch("g/x", Number, () => {});
  c.watch("g/y", Number, () => {}, { every: 500 });
  const [, x, y] = socket.sent;
  for (const { id } of [x, y]) socket.tell({ op: "snap", id, epoch: "e", rev: 10, t: 1, v: 5 });
  socket.tell({ op: "upd", graph: "g", rev: 12, t: 2, d: [{ id: x.id, v: 6, n: 3 }] });
  socket.end(1006);
  mock.timers.tick(300);
  FakeSocket.last.open();
  assert.deepEqual(FakeSocket.last.sent.filter(({ op }) => op === "sub").map(({ since }) => since), [
    { epoch: "e", rev: 12 }, { epoch: "e", rev: 10 },
  ]);
});

test("K-1: the server is asked to keep what has a memory, and the ticket is shown once", () => {
  clock();
  const socket = start(), scan = { scan: { start: 0, with: "acc + value" } };
  socket.open();
  const map = { map: "value + 1" };
  for (const [target, given] of [
    ["g/x", { pipe: [map, scan] }], ["g/x", { pipe: ["distinct"] }], [{ graph: "g", zip: ["x", "y"] }], ["g/y", { pipe: [scan], keep: "5m" }],
    ["g/x"], ["g/x", { pipe: [map, { ifEmpty: 0 }, { replace: 1 }] }], ["g/x,y"], [{ graph: "g", combine: ["x", "y"] }, { pipe: [map] }],
    ["g/z", { pipe: [scan], keep: undefined }],
  ]) c.watch(target, null, () => {}, given);
  c.observe("g", () => {});
  assert.deepEqual(socket.sent.slice(1).map(({ keep }) => keep), ["auto", "auto", "auto", "5m", undefined, "auto", undefined, "auto", undefined, undefined]);
  const { id } = socket.sent[1];
  socket.tell({ op: "snap", id, epoch: "e", rev: 10, t: 1, v: 5, ticket: "q8", keep: "30s" });
  socket.end(1006);
  mock.timers.tick(300);
  FakeSocket.last.open();
  const again = FakeSocket.last.sent[1];
  assert.deepEqual(again.since, { epoch: "e", rev: 10, ticket: "q8" });
  FakeSocket.last.tell({ op: "snap", id: again.id, epoch: "e", rev: 11, t: 1, v: 6, resumed: true });
  FakeSocket.last.end(1006);
  mock.timers.tick(3000);
  FakeSocket.last.open();
  assert.deepEqual(FakeSocket.last.sent[1].since, { epoch: "e", rev: 11 });
});

test("history comes before the present value, which is not sent twice", () => {
  const socket = start(), heard = [];
  socket.open();
  c.watch("g/x", Number, (value, meta) => heard.push([value, meta.rev, !!meta.history]), { history: 3 });
  const { id, history } = socket.sent.at(-1);
  assert.equal(history, 3);
  socket.tell({ op: "snap", id, epoch: "e", rev: 12, c: 9, t: 3, v: 3, d: [{ rev: 7, t: 1, v: 1 }, { rev: 8, t: 2, empty: true }, { rev: 9, t: 3, v: 3 }] });
  assert.deepEqual(heard, [[1, 7, true], [undefined, 8, true], [3, 9, true]]);
});

test("what the server ends for a while is asked for again; what is gone is reported", () => {
  clock();
  const socket = start(), ends = [];
  socket.open();
  c.watch("g/x", Number, (value, meta) => meta.ended && ends.push(meta.ended.code));
  c.watch("g/y", Number, (value, meta) => meta.ended && ends.push(meta.ended.code), { mode: "all" });
  c.watch("g/z", Number, (value, meta) => meta.ended && ends.push(meta.ended.code));
  const [, x, y, z] = socket.sent;
  socket.tell({ op: "end", id: x.id, code: "node_removed" });
  socket.tell({ op: "end", id: y.id, code: "slow" });
  socket.tell({ op: "err", id: z.id, code: "rate_limited", msg: "later", retry: true, after: 2000 });
  mock.timers.tick(999);
  assert.equal(socket.sent.length, 4);
  mock.timers.tick(1501); // the pauses that the server names, and up to a quarter of them more
  assert.deepEqual(ends, ["node_removed", "slow", "rate_limited"]);
  assert.deepEqual(socket.sent.slice(4).map(({ node }) => node), ["y", "z"]);
});

test("a page that is shown again tries at once, but not what was closed for good", () => {
  clock();
  const page = new EventTarget();
  globalThis.document = page;
  globalThis.addEventListener = page.addEventListener.bind(page);
  try {
    const socket = start();
    const show = (state) => { page.hidden = state === "hidden"; page.dispatchEvent(new Event("visibilitychange")); };
    socket.open();
    c.watch("g/x", Number, () => {}, { every: 100 });
    c.watch("g/y", Number, () => {}, { mode: "all" });
    c.observe("g", () => {});
    show("hidden");
    show("visible");
    const mods = socket.sent.filter(({ op }) => op === "mod").map(({ sub, every }) => [socket.sent.find(({ id }) => id === sub).op, every]);
    assert.deepEqual(mods, [["sub", 1000], ["observe", 1000], ["sub", 100], ["observe", 250]]);
    assert.ok(socket.sent.some(({ op }) => op === "ping"), "and asks whether the server is there");
    mock.method(Math, "random", () => 0.99);
    for (let i = 0; i < 5; i++) { FakeSocket.last.end(1006); if (i < 4) mock.timers.tick(10_000); }
    const before = FakeSocket.made.length;
    show("hidden");
    show("visible");
    assert.equal(FakeSocket.made.length, before + 1);
    FakeSocket.last.open();
    FakeSocket.last.end(4401, "unauthenticated");
    show("hidden");
    show("visible");
    assert.equal(FakeSocket.made.length, before + 1);
  } finally {
    delete globalThis.document;
    delete globalThis.addEventListener;
  }
});

test("a socket that cannot be made is reported and is final", () => {
  start({ WebSocket: class { constructor() { throw new Error("not from this page"); } } });
  assert.deepEqual([c.state.name, c.state.reason, errors.length], ["closed", "not from this page", 1]);
});

test("what was given up while it was ended is not asked for twice", () => {
  clock();
  const socket = start();
  socket.open();
  const first = c.watch("g/x", Number, () => {});
  socket.tell({ op: "end", id: socket.sent.at(-1).id, code: "slow" });
  first.close();
  mock.timers.tick(300);
  c.watch("g/x", Number, () => {});
  mock.timers.tick(2000);
  assert.equal(socket.sent.filter(({ op }) => op === "sub").length, 2);
});

test("a server that says nothing is asked after its heartbeat, and lost after another; any word of it counts", () => {
  clock();
  const socket = start();
  socket.open({ hb: 5 });
  mock.timers.tick(4000);
  socket.tell({ op: "hb", revs: {} });
  mock.timers.tick(4000);
  assert.deepEqual(socket.sent.map(({ op }) => op), ["hello"]);
  mock.timers.tick(1000);
  assert.equal(socket.sent.at(-1).op, "ping");
  mock.timers.tick(4000);
  socket.tell({ op: "hb", revs: {} });
  mock.timers.tick(9000);
  assert.equal(c.state.name, "live");
  mock.timers.tick(1000);
  assert.deepEqual([c.state.name, c.state.code, c.state.reason], ["reconnecting", 4508, "no answer"]);
});

test("a socket that never opens is given up", () => {
  clock();
  start();
  mock.timers.tick(9000);
  assert.equal(c.state.name, "connecting");
  mock.timers.tick(1000);
  assert.deepEqual([c.state.name, c.state.reason], ["reconnecting", "no answer"]);
});

test("a connection that lasts begins anew with short pauses, one that breaks at once does not", () => {
  clock();
  mock.method(Math, "random", () => 0.5);
  start().open();
  const pauses = [];
  for (const lasted of [0, 0, 0, 6000, 0]) {
    mock.timers.tick(lasted);
    FakeSocket.last.end(1006);
    pauses.push(c.state.at - Date.now());
    mock.timers.tick(c.state.at - Date.now());
    FakeSocket.last.open();
  }
  assert.deepEqual(pauses, [125, 250, 500, 125, 250]);
});

test("closing a handle twice gives up its subscription once, and none that came after", () => {
  clock();
  const socket = start(), heard = [];
  socket.open();
  const first = c.watch("g/x", Number, () => {});
  first.close();
  mock.timers.tick(200);
  first.close();
  const second = c.watch("g/x", Number, (value) => heard.push(value));
  first.close();
  mock.timers.tick(1000);
  assert.deepEqual(socket.sent.map(({ op }) => op), ["hello", "sub"]);
  socket.tell({ op: "snap", id: socket.sent[1].id, epoch: "e", rev: 1, t: 1, v: 5 });
  assert.deepEqual(heard, [5]);
  second.close();
  mock.timers.tick(250);
  assert.equal(socket.sent.at(-1).op, "unsub");
});

test("joining a subscription that has ended asks again", () => {
  clock();
  const socket = start(), ends = [];
  socket.open();
  c.watch("g/x", Number, (value, { ended }) => ends.push(ended?.code));
  socket.tell({ op: "err", id: socket.sent.at(-1).id, code: "unknown_node", msg: "no such node" });
  c.watch("g/x", Number, (value, { ended }) => ends.push(ended?.code));
  socket.tell({ op: "err", id: socket.sent.at(-1).id, code: "unknown_node", msg: "no such node" });
  assert.deepEqual([socket.sent.length, ends], [3, ["unknown_node", "unknown_node", "unknown_node"]]);
});

test("equal requests are one, in whatever order their options stand; options unknown to this client reach the server", () => {
  const socket = start();
  socket.open();
  c.watch("g/x", Number, () => {}, { every: 100, mode: "latest" });
  c.watch("g/x", Number, () => {}, { mode: "latest", every: 100 });
  c.watch("g/x", Number, () => {}, { initial: false });
  assert.deepEqual(socket.sent.slice(1).map(({ mode, every, initial }) => [mode, every, initial]), [["latest", 100, undefined], [undefined, 0, false]]);
});

test("joining a subscription whose value came with its history receives that value", async () => {
  const socket = start(), heard = [];
  socket.open();
  c.watch("g/x", Number, () => {}, { history: 2 });
  socket.tell({ op: "snap", id: socket.sent.at(-1).id, epoch: "e", rev: 9, t: 3, v: 3, d: [{ rev: 8, t: 2, v: 2 }, { rev: 9, t: 3, v: 3 }] });
  c.watch("g/x", Number, (value) => heard.push(value), { history: 2 });
  await new Promise(setImmediate);
  assert.deepEqual(heard, [3]);
});

test("what could not be read is answered without an id: the oldest request is refused", async () => {
  const socket = start();
  socket.open();
  const first = c.set("g/x", 1), second = c.set("g/x", 2);
  socket.tell({ op: "err", code: "bad_json", msg: "too deep", retry: false });
  socket.tell({ op: "ok", id: socket.sent[2].id, epoch: "e", rev: 2 });
  await assert.rejects(first, { code: "bad_json", path: "g/x" });
  assert.equal((await second).rev, 2);
});

test("every message is shown to those that ask for it", () => {
  const seen = [];
  start({ onMessage: ({ op }, length) => seen.push([op, length]) }).open();
  FakeSocket.last.tell({ op: "weather" });
  assert.deepEqual(seen.map(([op]) => op), ["hello", "weather"]);
  assert.equal(seen[1][1], JSON.stringify({ op: "weather" }).length);
});

test("what JSON would turn into nothing is refused before it is sent", async () => {
  const socket = start();
  socket.open();
  for (const value of [undefined, NaN, [Infinity], { deep: -Infinity }, () => {}]) {
    await assert.rejects(async () => c.set("g/any", value), { code: "type_mismatch" });
  }
  assert.equal(socket.sent.length, 1);
});

test("a stream that ends while its reader is slow gives what was left, and ends", async () => {
  for (const [code, rejects] of [["complete", false], ["node_removed", true]]) {
    const socket = start(), seen = [];
    socket.open();
    const reading = (async () => {
      for await (const value of c.stream("g/x", Number, { mode: "all" })) {
        seen.push(value);
        await new Promise(setImmediate);
      }
    })();
    await new Promise(setImmediate);
    const { id } = socket.sent.at(-1);
    socket.tell({ op: "snap", id, epoch: "e", rev: 1, t: 1, v: 1 });
    await null;
    socket.tell({ op: "upd", graph: "g", rev: 2, t: 2, d: [{ id, v: 2 }] });
    socket.tell({ op: "end", id, code });
    if (rejects) await assert.rejects(reading, { code });
    else await reading;
    assert.deepEqual(seen, [1, 2]);
    c.close();
  }
});

test("closing within a call stays closed", () => {
  clock();
  start({ onState: ({ name, tries, at }) => name === "reconnecting" && tries && !at && c.close() }).open();
  FakeSocket.last.end(1006);
  mock.timers.tick(300);
  assert.equal(FakeSocket.made.length, 2);
  FakeSocket.last.tell({ op: "hello", session: "c:2", server: "test", hb: 25 });
  assert.deepEqual([c.state.name, FakeSocket.last.readyState], ["closed", 3]);
  c.close();
  start({ onMessage: ({ op }) => op === "hello" && c.close() }).open();
  assert.deepEqual(states.map(({ name }) => name), ["connecting", "closed"]);
});

test("retrying whenever it is not live tries once at a time", () => {
  clock();
  start({ onState: ({ name }) => name === "reconnecting" && c.retry() }).open();
  FakeSocket.last.end(1006);
  assert.deepEqual([FakeSocket.made.length, errors], [2, []]);
});

test("a ping waits as long as it says, whenever the next tick is, and also for a part of a second", async () => {
  clock();
  start().open();
  mock.timers.tick(900);
  c.ping(1);
  mock.timers.tick(1000);
  assert.equal(c.state.name, "live");
  mock.timers.tick(1000);
  assert.equal(c.state.reason, "no answer");
  for (const patience of [0, 0.5, 2.5]) {
    c.close();
    start().open();
    c.ping(patience);
    mock.timers.tick(4000);
    assert.equal(c.state.reason, "no answer", `${patience} s`);
  }
});

test("a set of unknown outcome may be repeated for ten minutes from its sending, not from the loss", async () => {
  clock();
  const socket = start();
  socket.open();
  const setting = c.set("g/x", 1).catch((error) => error);
  await null;
  mock.timers.tick(20_000);
  FakeSocket.last.end(1006);
  const { repeat } = await setting;
  c.retry();
  FakeSocket.last.open();
  mock.timers.setTime(1_763_690_000_000 + 590_000);
  const again = repeat();
  const { key } = FakeSocket.last.sent.at(-1);
  assert.equal(key, socket.sent.at(-1).key ?? key);
  FakeSocket.last.tell({ op: "ok", id: FakeSocket.last.sent.at(-1).id, epoch: "e", rev: 2 });
  assert.equal((await again).rev, 2);
  mock.timers.setTime(1_763_690_000_000 + 610_000);
  await assert.rejects(repeat(), { code: "key-expired" });
});

test("another token is the one that the next connection shows", () => {
  clock();
  start({ token: "slc_1" }).open();
  c.auth("slc_2").catch(() => {});
  FakeSocket.last.end(1006);
  c.retry();
  FakeSocket.last.open();
  assert.equal(FakeSocket.last.sent[0].token, "slc_2");
});

test("values are stale while the engine is out of reach, and not after a reconnect", () => {
  clock();
  const socket = start();
  socket.open();
  const handle = c.watch("g/x", Number, () => {});
  socket.tell({ op: "snap", id: socket.sent.at(-1).id, epoch: "e", rev: 1, t: 1, v: 5 });
  const states = [], forget = c.onState(({ name, stale }) => states.push([name, stale]));
  for (let n = 0; n < 2; n += 1) socket.tell({ op: "hb", revs: {}, stale: true });
  assert.equal(handle.stale, true);
  assert.deepEqual(states, [["live", true]]);
  forget();
  socket.tell({ op: "hb", revs: {} });
  assert.equal(handle.stale, false);
  socket.tell({ op: "hb", revs: {}, stale: true });
  socket.end(1006);
  c.retry();
  FakeSocket.last.open();
  assert.equal(handle.stale, false);
});

test("a stream whose reader has stopped keeps so many values and no more", async () => {
  const socket = start();
  socket.open();
  const reader = c.stream("g/x", Number, { mode: "all" }), first = reader.next();
  const { id } = socket.sent.at(-1);
  socket.tell({ op: "snap", id, epoch: "e", rev: 1, t: 1, v: 0 });
  await first;
  for (let i = 1; i <= 12_000; i++) socket.tell({ op: "upd", graph: "g", rev: i + 1, t: 1, d: [{ id, v: i }] });
  let last;
  await assert.rejects(async () => { for await (const value of reader) last = value; }, { code: "slow" });
  assert.ok(last >= 9999 && last <= 10_001, `${last}`);
});

test("watching again what has just ended asks once, and waits for the answer", () => {
  const socket = start(), heard = [];
  socket.open();
  const again = (value, { ended }) => {
    heard.push(ended?.code ?? value);
    if (heard.length > 9) throw new Error("called again and again");
    if (ended) c.watch("g/x", Number, again);
  };
  c.watch("g/x", Number, again);
  socket.tell({ op: "end", id: socket.sent.at(-1).id, code: "node_removed" });
  assert.deepEqual([heard, socket.sent.filter(({ op }) => op === "sub").length], [["node_removed"], 2]);
});

test("a subscription that had ended delivers its value again, also when nothing is newer", () => {
  clock();
  const socket = start(), heard = [];
  socket.open();
  const handle = c.watch("g/x", Number, (value, { ended }) => heard.push(ended?.code ?? value));
  socket.tell({ op: "snap", id: socket.sent.at(-1).id, epoch: "e", rev: 1, t: 1, v: 5 });
  socket.tell({ op: "end", id: socket.sent.at(-1).id, code: "slow" });
  mock.timers.tick(2000);
  assert.deepEqual(socket.sent.at(-1).since, { epoch: "e", rev: 1 });
  socket.tell({ op: "snap", id: socket.sent.at(-1).id, epoch: "e", rev: 7, t: 2, resumed: true });
  assert.deepEqual([heard, handle.value, handle.meta.ended], [[5, "slow", 5], 5, undefined]);
  socket.end(1006);
  c.retry();
  FakeSocket.last.open();
  assert.deepEqual(FakeSocket.last.sent.at(-1).since, { epoch: "e", rev: 7 });
  FakeSocket.last.tell({ op: "snap", id: FakeSocket.last.sent.at(-1).id, epoch: "e", rev: 7, t: 2, resumed: true });
  assert.equal(heard.length, 3);
});

test("several nodes: what another history does not have is gone, a later listener receives all, and how many stay out is reported", () => {
  clock();
  const socket = start(), heard = [], later = [];
  socket.open();
  c.watch("g/*", null, (values, { m, more }) => heard.push([{ ...values }, m, more]));
  const { id } = socket.sent.at(-1);
  socket.tell({ op: "snap", id, epoch: "e", rev: 1, t: 1, m: { a: { v: 1 }, b: { v: 2 } }, more: 4 });
  socket.tell({ op: "upd", graph: "g", rev: 2, t: 1, d: [{ id, m: { b: { v: 3 } } }] });
  c.watch("g/*", null, (values, { m }) => later.push(Object.keys(m)));
  socket.tell({ op: "snap", id: socket.sent.at(-1).id, epoch: "e", rev: 2, t: 1, m: { a: { v: 1 }, b: { v: 3 } } });
  assert.deepEqual(later, [["a", "b"]]);
  socket.end(1006);
  c.retry();
  FakeSocket.last.open();
  FakeSocket.last.tell({ op: "snap", id: FakeSocket.last.sent[1].id, epoch: "f", rev: 1, t: 1, resumed: false, m: { b: { v: 3 } } });
  assert.deepEqual(heard, [
    [{ a: 1, b: 2 }, { a: { v: 1 }, b: { v: 2 } }, 4], [{ a: 1, b: 3 }, { b: { v: 3 } }, undefined],
    [{ b: 3 }, { b: { v: 3 }, a: { gone: true } }, undefined],
  ]);
});

test("a subscription that is too long is reported, and the others are asked for", () => {
  const socket = start();
  c.watch("g/x", Number, () => {}, { pipe: [{ map: "1".repeat(70_000) }] });
  c.watch("g/y", Number, () => {});
  socket.open();
  assert.deepEqual([socket.sent.map(({ op, node }) => node ?? op), errors.map(({ code }) => code), c.state.name], [["hello", "y"], ["too_large"], "live"]);
});

test("an integer is a number as long as no digit is lost", () => {
  const socket = start(), heard = [];
  socket.open();
  c.watch("g/x", Number, (value, { fail }) => heard.push(fail?.code ?? value));
  c.watch("g/x", BigInt, (value) => heard.push(value));
  const { id } = socket.sent.at(-1);
  socket.tell(`{"op":"snap","id":${id},"epoch":"e","rev":1,"t":1,"v":100000000000000000}`);
  socket.tell(`{"op":"upd","graph":"g","rev":2,"t":1,"d":[{"id":${id},"v":123456789012345678}]}`);
  assert.deepEqual(heard, [100000000000000000, 100000000000000000n, "type_mismatch", 123456789012345678n]);
  assert.equal(encode(decode("[100000000000000000,123456789012345678]")), "[100000000000000000,123456789012345678]");
});
