// The hooks of React in a document of jsdom, against a server.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { connect } from "sluice-client";
import { SluiceProvider, useClient, useConnection, useNode, useNodes } from "sluice-client/react";
import { eventually, http, post, server, way } from "../../../Tests/EndToEnd/web/support.mjs";

const require = createRequire(import.meta.url);
const { Component, StrictMode, Suspense, createElement: h, useState } = require("react");
const { createRoot, hydrateRoot } = require("react-dom/client");
const { flushSync } = require("react-dom");
const { renderToString } = require("react-dom/server");

// What a client sends, by its `op`.
const sent = [];
class Recording extends WebSocket {
  send(text) {
    sent.push(JSON.parse(text));
    super.send(text);
  }
}
const count = (op) => sent.filter((message) => message.op === op).length;

let client, idle;
const graph = () => http("/v1/graphs/g");
/** The listeners and nodes that exist in the server. */
const living = async () => {
  const { live, listeners } = await graph();
  return { nodes: live.nodes, listeners };
};
const returnsToRest = () => eventually(async () => {
  const { nodes, listeners } = await living();
  return nodes === idle.nodes && listeners === idle.listeners;
});

before(async () => {
  idle = await living();
  client = connect(server, { WebSocket: Recording });
  await client.list();
});
after(() => client.close());

/** A page with an element in it: its text, a way to show another element, and its end. */
function page(element, { strict = false, by = client } = {}) {
  const container = document.createElement("div"), root = createRoot(container);
  const wrap = (inner) => h(SluiceProvider, { client: by }, strict ? h(StrictMode, null, inner) : inner);
  const show = (inner) => flushSync(() => root.render(wrap(inner)));
  show(element);
  return {
    show,
    shows: (text) => eventually(() => container.textContent === text),
    end: () => root.unmount(),
  };
}

/** Shows a node as text; every render makes options of its own. */
function Shown({ target, pipe, type = null }) {
  const { value, loading, empty, stale, error } = useNode(target, { type, ...(pipe ? { pipe } : {}) });
  if (error) return `${error.code}: ${error.path}`;
  if (loading) return "loading";
  return `${empty ? "empty" : JSON.stringify(value ?? "nothing")}${stale ? " stale" : ""}`;
}

test("a component shows the value and each change, and ends with its subscription", async () => {
  await post("x", 1);
  const shown = page(h(Shown, { target: "g/x", type: Number }));
  await shown.shows("1");
  await post("x", 21.5);
  await shown.shows("21.5");
  shown.end();
  await returnsToRest();
});

test("it is loading, empty, refused, or of another type", async () => {
  assert.equal(renderToString(h(SluiceProvider, { client }, h(Shown, { target: "g/x" }))), "loading");
  const empty = page(h(Shown, { target: "g/y" }));
  await empty.shows("empty");
  empty.show(h(Shown, { target: "g/nothing" }));
  await empty.shows("unknown_node: g/nothing");
  empty.show(h(Shown, { target: "g/x", type: String }));
  await empty.shows("type_mismatch: g/x");
  empty.show(h(Shown, { target: null }));
  await empty.shows('"nothing"');
  empty.end();
  await returnsToRest();
});

test("options that are equal, but new in each render, subscribe once", async () => {
  const begun = count("sub");
  let again;
  function Parent() {
    const [n, setN] = useState(0);
    again = () => setN(n + 1);
    return h(Shown, { target: "g/x", pipe: [{ map: "value + 1" }], type: (value) => value * 10 });
  }
  await post("x", 4);
  const shown = page(h(Parent));
  await shown.shows("50");
  for (let n = 0; n < 20; n += 1) flushSync(again);
  assert.equal(count("sub"), begun + 1);
  shown.end();
  await returnsToRest();
});

test("a function that checks a type may be another one in each render", async () => {
  const Scaled = ({ by }) => String(useNode("g/x", { type: (value) => value * by }).value);
  await post("x", 2);
  const shown = page(h(Scaled, { by: 10 }));
  await shown.shows("20");
  shown.show(h(Scaled, { by: 100 }));
  await post("x", 3);
  await shown.shows("300");
  shown.end();
});

test("another target takes the place of the one before", async () => {
  const shown = page(h(Shown, { target: "g/x" }));
  await shown.shows("3");
  shown.show(h(Shown, { target: "g/double" }));
  await shown.shows("6");
  await eventually(async () => (await graph()).listeners === idle.listeners + 1);
  shown.end();
  await returnsToRest();
});

test("a component that comes later begins with what the others show", async () => {
  const first = page(h(Shown, { target: "g/x" }));
  await first.shows("3");
  const texts = [];
  const Later = () => { texts.push(String(useNode("g/x").value)); return null; };
  const later = page(h(Later));
  assert.deepEqual(new Set(texts), new Set(["3"]));
  first.end();
  await post("x", 5);
  await eventually(() => texts.at(-1) === "5");
  later.end();
  await returnsToRest();
});

test("several nodes are an object, which is a new one with each change", async () => {
  const objects = [];
  function Several() {
    const { value, set } = useNodes("g", ["x", "small"]);
    objects.push(value);
    return h("button", { onClick: () => set({ x: 8, small: 9 }) }, JSON.stringify(value ?? null));
  }
  await http("/v1/graphs/g/nodes/small", { method: "POST", body: "3" });
  const shown = page(h(Several));
  await shown.shows('{"x":5,"small":3}');
  const before = objects.at(-1);
  await post("x", 6);
  await shown.shows('{"x":6,"small":3}');
  assert.deepEqual(before, { x: 5, small: 3 });
  shown.end();
  await returnsToRest();
});

test("`set` stays the same function, sets the node, and says why not", async () => {
  const sets = new Set();
  let set;
  function Settable() {
    const node = useNode("g/small", { type: Number });
    sets.add(set = node.set);
    return String(node.value);
  }
  const shown = page(h(Settable));
  await shown.shows("3");
  await set(7);
  await shown.shows("7");
  await assert.rejects(set(11), { code: "type_mismatch", path: "g/small" });
  assert.equal(sets.size, 1);
  shown.end();
});

test("what is shown is stale without a connection, and the connection says so", async () => {
  const road = await way(), own = connect(road.url);
  const State = () => h("b", null, useConnection().name, " ", h(Shown, { target: "g/small" }));
  const shown = page(h(State), { by: own });
  await shown.shows("live 7");
  road.state.refusing = true;
  road.cut();
  await shown.shows("reconnecting 7 stale");
  road.state.refusing = false;
  own.retry();
  // The value is the same: nothing comes, and yet it is no longer stale.
  await shown.shows("live 7");
  shown.end();
  own.close();
  road.close();
});

test("strict mode mounts everything twice, and leaves nothing", async () => {
  const many = Array.from({ length: 50 }, (_, n) => h(Shown, { key: n, target: `g/sensor.${n}.celsius` }));
  const shown = page(h("p", null, h(Shown, { target: "g/x,small" }), ...many), { strict: true });
  await shown.shows(`${JSON.stringify({ x: 6, small: 7 })}${"7".repeat(50)}`);
  // What an earlier test has shown may linger.
  await eventually(async () => (await living()).listeners === idle.listeners + 51);
  shown.end();
  await returnsToRest();
});

test("10,000 renders that React gives up leave no subscription and no node", async () => {
  const never = new Promise(() => {});
  let renders = 0;
  const Given = ({ n }) => { renders += 1; useNode(`g/sensor.${n}.celsius`, { every: n }); return null; };
  const Waits = () => { throw never; };
  const begun = sent.length;
  const container = document.createElement("div"), root = createRoot(container);
  for (let n = 0; n < 10_000; n += 1) {
    // Content that waits when it is mounted is thrown away with all that was rendered beside it.
    const content = h(Suspense, { key: n, fallback: "waiting" }, h(Given, { n }), h(Waits));
    flushSync(() => root.render(h(StrictMode, null, h(SluiceProvider, { client }, content))));
  }
  assert.equal(container.textContent, "waiting");
  assert.ok(renders >= 10_000);
  assert.equal(sent.length, begun);
  await returnsToRest();
  const metrics = await (await fetch(`${server}/metrics`)).text();
  assert.match(metrics, /^sluice_listeners(\{graph="g"\})? 0$/m);
  root.unmount();
});

test("a component that fails leaves nothing, and its fault goes to React", async () => {
  class Boundary extends Component {
    state = {};
    static getDerivedStateFromError({ message }) { return { message }; }
    render() { return this.state.message ?? this.props.children; }
  }
  const Fails = () => { useNode("g/x"); throw new Error("its own fault"); };
  const { error } = console;
  console.error = () => {};
  const shown = page(h(Boundary, null, h(Fails)), { strict: true });
  await shown.shows("its own fault");
  shown.show(h(Boundary, { key: 1 }, h(Shown, { target: "g/x" })));
  await shown.shows("6");
  shown.end();
  await returnsToRest();
  assert.throws(() => renderToString(h(useClientText)), /SluiceProvider/);
  console.error = error;
});

const useClientText = () => String(useClient());

test("a server renders what is known without a client, and the page takes it over", async () => {
  const App = ({ by }) => h(SluiceProvider, { client: by }, h("p", null, h(Shown, { target: "g/x" }), " ", h(Name)));
  const Name = () => useConnection().name;
  const text = renderToString(h(App, { by: null }));
  const container = document.createElement("div");
  container.innerHTML = text;
  assert.equal(container.textContent, "loading connecting");
  const warnings = [], { error } = console;
  console.error = (...given) => warnings.push(given.join(" "));
  const root = hydrateRoot(container, h(App, { by: client }));
  await eventually(() => container.textContent === "6 live");
  console.error = error;
  assert.deepEqual(warnings, []);
  root.unmount();
  await returnsToRest();
});
