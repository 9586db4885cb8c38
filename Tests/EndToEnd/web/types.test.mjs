// client.d.ts and client.js name the same things. Whether the types are right as types is for the
// compiler: use.ts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as module from "../../../public/client.js";
import { FakeSocket, eventually, server } from "./support.mjs";

const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const types = read("public/client.d.ts");
const entry = read("public/client.js"), line = read("public/client/connection.js");

/** The members of an interface or class, in order of the alphabet. */
function members(name) {
  const body = new RegExp(`export (?:interface|declare class) ${name}\\b[^{]*\\{\\s(.*?)\\n?\\}\\n`, "s").exec(types)?.[1];
  assert.ok(body, name);
  const plain = body.replace(/\/\*.*?\*\//gs, "").replace(/\{(?:[^{}]|\{[^{}]*\})*\}/g, "");
  return [...new Set([...plain.matchAll(/(?:^|;)\s*(?:readonly )?(\w+)\??(?=[:(<])/g)].map(([, member]) => member))].sort();
}

const sorted = (names) => [...names].sort();

test("what is exported is declared, and the other way round", () => {
  assert.deepEqual(Object.keys(module), sorted([...types.matchAll(/^export declare (?:function|class) (\w+)/gm)].map(([, name]) => name)));
});

test("connect takes the options that are declared", () => {
  const taken = /export function connect\(.*?\{(.*?), \.\.\.options\s/s.exec(entry)[1];
  const further = /export function connection\(.*?\{(.*?)\}/s.exec(line)[1];
  const names = `${taken}, ${further}`.replace(/=[^,]*/g, "").match(/\w+/g);
  // What connect adds for the connection.
  assert.deepEqual(sorted(names), sorted([...members("Options"), "safely", "receive"]));
});

test("a client, its states, its subscriptions and what they receive have the declared members", async () => {
  const states = [], metas = [];
  const client = module.connect(`${server}/v1/ws`, { onState: (state) => states.push(state) });
  await eventually(() => client.state.name === "live");
  assert.deepEqual(sorted(Object.keys(client)), members("Client"));

  const watch = client.watch("g/x", Number, (_, meta) => metas.push(meta)), refused = client.watch("g/none", null, (_, meta) => metas.push(meta));
  await eventually(() => watch.meta && refused.meta);
  // Besides, a subscription keeps what it was made with.
  assert.deepEqual(sorted(Object.keys(watch)), sorted([...members("Watch"), "fn", "type"]));
  assert.deepEqual(sorted(new Set(metas.flatMap(Object.keys))), members("Meta"));

  const several = await client.get("g", ["x"]);
  assert.ok(several.m.x && several.epoch && several.t);
  const given = { clear: ["y"], if: `a == ${several.m.x.v}`, with: { a: "x" }, ctx: { who: "types" }, presence: true, hand: true, key: "types-1", path: ["far/g/x"] };
  assert.deepEqual(sorted(Object.keys(given)), members("SetOptions"));
  const cursor = await client.set("g/x", several.m.x.v, given);
  for (const name of members("Cursor")) assert.ok(name in cursor, name);

  client.close();
  const lost = module.connect("http://127.0.0.1:9", { onState: (state) => states.push(state) });
  await eventually(() => lost.state.tries > 0);
  await assert.rejects(lost.set("g/x", 1), (error) => error instanceof module.SluiceError && members("SluiceError").includes("code"));
  lost.close();
  const fake = module.connect(server, { WebSocket: FakeSocket, onState: (state) => states.push(state) });
  FakeSocket.last.open();
  FakeSocket.last.tell({ op: "hb", revs: {}, stale: true });
  fake.close();
  assert.deepEqual(sorted(new Set(states.flatMap(Object.keys))), members("State"));
});

test("every function is explained", () => {
  const text = read("docs/client.md");
  for (const name of members("Client")) assert.ok(text.includes(`client.${name}`), name);
});
