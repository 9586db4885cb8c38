// The stores of Svelte by its contract, against a server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect } from "sluice-client";
import { connection, node } from "sluice-client/svelte";
import { eventually, http, post, server } from "../../../Tests/EndToEnd/web/support.mjs";

let client;
const listeners = async () => (await http("/v1/graphs/g")).listeners;

before(async () => {
  client = connect(server);
  await client.list();
});
after(() => client.close());

test("a reader is called at once, with each value, and not after its end", async () => {
  await post("x", 1);
  const store = node(client, "g/x", { type: Number }), values = [];
  assert.equal(await listeners(), 0);
  const end = store.subscribe((value) => values.push(value));
  assert.deepEqual(values, [undefined]);
  await eventually(() => values.at(-1) === 1);
  await post("x", 2);
  await eventually(() => values.at(-1) === 2);
  end();
  end();
  const { length } = values;
  await post("x", 3);
  await eventually(async () => await listeners() === 0);
  assert.equal(values.length, length);
});

test("readers share what is known: a further one is called with the value at once", async () => {
  const store = node(client, "g/x"), first = [], same = (value) => first.push(value);
  const ends = [store.subscribe(same), store.subscribe(same)];
  await eventually(() => first.filter((value) => value === 3).length === 2);
  const other = [];
  ends.push(node(client, "g/x").subscribe((value) => other.push(value)));
  assert.deepEqual(other, [3]);
  assert.equal(await listeners(), 1);
  ends.pop()();
  ends.pop()();
  // Only one of the two is left.
  await post("x", 4);
  await eventually(() => first.at(-1) === 4);
  assert.equal(first.filter((value) => value === 4).length, 1);
  ends.pop()();
  await eventually(async () => await listeners() === 0);
});

test("a reader that throws harms no other", async () => {
  const errors = [], own = connect(server, { onError: (error) => errors.push(error.message) });
  const store = node(own, "g/small"), values = [];
  store.subscribe((value) => { if (value !== undefined) throw new Error("reader"); });
  store.subscribe((value) => values.push(value));
  await eventually(() => values.at(-1) !== undefined);
  assert.deepEqual(errors, ["reader"]);
  own.close();
});

test("`$store = value` sets the node, `state` says everything", async () => {
  const store = node(client, "g/small", { type: Number }), states = [];
  const end = store.state.subscribe((state) => states.push(state));
  assert.deepEqual(states[0], { value: undefined, meta: undefined, loading: true, empty: false, stale: false, error: undefined });
  await store.set(4);
  await eventually(() => states.at(-1).value === 4);
  await store.update((value) => value + 1);
  await eventually(() => states.at(-1).value === 5);
  assert.ok(!states.at(-1).loading && !states.at(-1).stale && states.at(-1).meta.rev);
  await assert.rejects(store.set(11), { code: "type_mismatch" });
  end();
});

test("several nodes are an object, a new one with each change, and set together", async () => {
  const store = node(client, "g/x,small"), values = [];
  const end = store.subscribe((value) => values.push(value));
  await eventually(() => values.at(-1)?.small === 5);
  const before = values.at(-1);
  await store.set({ x: 7, small: 6 });
  await eventually(() => values.at(-1).small === 6);
  assert.deepEqual(values.at(-1), { x: 7, small: 6 });
  assert.equal(before.small, 5);
  end();
});

test("the connection is a store", async () => {
  const own = connect(server), names = [];
  const end = connection(own).subscribe(({ name }) => names.push(name));
  await eventually(() => names.at(-1) === "live");
  own.close();
  assert.deepEqual(names, ["connecting", "live", "closed"]);
  end();
});
