// What must not harm client.js: errors of the program, values at the ends of their ranges, streams
// that end from outside, addresses that are incomplete, and engines that lack something.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { connect, decode, encode } from "../../../public/client.js";
import { FakeSocket, eventually, http, post, server } from "./support.mjs";

const listeners = async () => (await http("/v1/graphs/g")).listeners;

/** The lines that a program in a process of its own prints; it finds the client as `connect`. */
function printed(program) {
  const module = new URL("../../../public/client.js", import.meta.url).href;
  const begin = `import { connect, encode } from ${JSON.stringify(module)};`;
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", begin + program], { encoding: "utf8" });
  assert.equal(ran.stderr, "");
  return ran.stdout.trim().split("\n");
}

test("an error of a listener, and one of what reports errors, harm no other listener", () => {
  // The runner of tests takes every unhandled rejection for a failure of its own.
  assert.deepEqual(printed(`
    const unhandled = new Set();
    process.on("unhandledRejection", (error) => unhandled.add(error.message));
    const client = connect(${JSON.stringify(server)}, {
      onState: () => { throw new Error("state"); },
      onError: (error) => { throw new Error("reported " + error.message); },
    });
    client.watch("g/log", null, () => { throw new Error("listener"); });
    client.watch("g/log", null, async (value) => {
      if (value !== 77) return client.set("g/log", 77);
      console.log(client.state.name, [...unhandled].join());
      client.close();
    });
  `), ["live reported state,reported listener"]);
});

test("an address without a path is that of a server", async () => {
  const client = connect(server);
  assert.equal(typeof await client.get("g/x"), "number");
  client.close();
  for (const address of [server, `${server}/`, `${server}/v1/ws`]) {
    connect(address, { WebSocket: FakeSocket });
    assert.equal(FakeSocket.last.url, `${server.replace("http", "ws")}/v1/ws`);
  }
  assert.throws(() => connect("/v1/ws"), { code: "ERR_INVALID_URL" });
});

test("integers of 64 bits keep their digits, also those that a number holds", async () => {
  const client = connect(server);
  await eventually(() => client.state.name === "live");
  for (const text of ["9007199254740993", "1152921504606846976", "-9223372036854775808", "9223372036854775807"]) {
    await post("any", JSON.rawJSON(text));
    const value = await client.get("g/any");
    assert.equal(encode(value), text);
    await client.set("g/any", value);
    assert.equal(await (await fetch(`${server}/v1/graphs/g/nodes/any`)).text(), text);
  }
  client.close();
  assert.equal(encode([1e300, 1e18, 1.5, -0, "9007199254740993"]), '[1e+300,1000000000000000000,1.5,0,"9007199254740993"]');
  assert.throws(() => encode({ a: [NaN] }), { code: "type_mismatch", message: "NaN cannot be sent" });
  assert.deepEqual(decode("[9007199254740992,9007199254740993]"), [2 ** 53, 9007199254740993n]);
});

test("a stream that waits for a value ends at once where it is told to", async () => {
  const client = connect(server), before = await listeners();
  const stream = client.stream("g/sum");
  assert.equal(typeof (await stream.next()).value, "number");
  const waiting = stream.next();
  assert.deepEqual(await stream.return(), { value: undefined, done: true });
  assert.deepEqual(await waiting, { value: undefined, done: true });
  assert.deepEqual(await stream.next(), { value: undefined, done: true });
  await eventually(async () => await listeners() === before);
  // One that was never read has nothing to end.
  assert.equal((await client.stream("g/sum").return()).done, true);
  client.close();
});

test("a program that leaves a loop, or fails in it, leaves nothing", async () => {
  const client = connect(server), before = await listeners();
  for await (const value of client.stream("g/sum")) { assert.equal(typeof value, "number"); break; }
  await assert.rejects(async () => {
    for await (const value of client.stream("g/sum")) throw new Error(`at ${value}`);
  }, /^Error: at/);
  await eventually(async () => await listeners() === before);
  client.close();
});

test("an update that is refused or lost names its node", async () => {
  const client = connect(server, { WebSocket: FakeSocket });
  FakeSocket.last.open();
  const lost = client.update("g/x", "value + 1"), several = client.update("g", { x: "1" });
  const { key, update } = FakeSocket.last.sent.at(-2);
  assert.deepEqual(update, { x: "value + 1" });
  FakeSocket.last.end(1006);
  await assert.rejects(lost, { code: "unknown-outcome", path: "g/x", key });
  await assert.rejects(several, { code: "unknown-outcome", path: "g" });
  client.close();
});

test("engines without a browser's objects, and without exact digits, can still connect", () => {
  // Node 20 has none of these.
  assert.deepEqual(printed(`
    for (const name of ["navigator", "WebSocket"]) delete globalThis[name];
    delete JSON.rawJSON;
    const closed = connect("http://127.0.0.1:1", { onError: (error) => console.log(error.message) });
    console.log(closed.state.name, encode([7n, 2 ** 60]));
    try { encode(9007199254740993n); } catch (error) { console.log(error.message); }
    let socket;
    class Socket { constructor() { socket = this; } close() {} }
    const other = connect("http://127.0.0.1:1", { WebSocket: Socket });
    socket.onclose({ code: 1006 });
    console.log(other.state.name);
    other.close();
  `), [
    "WebSocket is not a constructor", "closed [7,1152921504606847000]",
    "9007199254740993 cannot be sent", "reconnecting",
  ]);
});
