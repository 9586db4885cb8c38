// The composables of Vue 3, in components and in scopes of their own, against a server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect } from "sluice-client";
import { Suspense, createApp, effectScope, h, ref } from "vue";
import { createSluice, useClient, useConnection, useNode, useNodes } from "sluice-client/vue";
import { eventually, http, post, server, way } from "../../../Tests/EndToEnd/web/support.mjs";

let client;
const listeners = async () => (await http("/v1/graphs/g")).listeners;
const rests = () => eventually(async () => await listeners() === 0);

before(async () => {
  client = connect(server);
  await client.list();
});
after(() => client.close());

/** An application of one component. */
function page(setup, by = client) {
  const element = document.createElement("div"), app = createApp({ setup });
  app.use(createSluice(by));
  app.mount(element);
  return { shows: (text) => eventually(() => element.textContent === text), end: () => app.unmount() };
}

test("a component shows the value and each change, sets it, and ends with its subscription", async () => {
  await post("small", 1);
  let set;
  const shown = page(() => {
    const small = useNode("g/small", { type: Number });
    ({ set } = small);
    return () => h("p", small.loading.value ? "loading" : `${small.value.value} ${small.stale.value}`);
  });
  await shown.shows("1 false");
  await set(2);
  await shown.shows("2 false");
  await assert.rejects(set(11), { code: "type_mismatch" });
  shown.end();
  await rests();
});

test("the target may be a ref, which changes and may be null", async () => {
  const target = ref("g/x");
  const shown = page(() => {
    const { value, loading, error } = useNode(target);
    return () => h("p", error.value?.code ?? (loading.value ? "loading" : String(value.value)));
  });
  await post("x", 3);
  await shown.shows("3");
  target.value = "g/double";
  await shown.shows("6");
  target.value = null;
  await shown.shows("undefined");
  await rests();
  target.value = "g/nothing";
  await shown.shows("unknown_node");
  shown.end();
  await rests();
});

test("several nodes, and the connection", async () => {
  const road = await way(), own = connect(road.url);
  const shown = page(() => {
    const { value, stale } = useNodes("g", ["x", "small"]), connection = useConnection();
    return () => h("p", `${JSON.stringify(value.value)} ${stale.value} ${connection.value.name}`);
  }, own);
  await shown.shows('{"x":3,"small":2} false live');
  road.state.refusing = true;
  road.cut();
  await shown.shows('{"x":3,"small":2} true reconnecting');
  shown.end();
  own.close();
  road.close();
});

test("a scope of its own is an owner, with a client given", async () => {
  const scope = effectScope();
  const { value } = scope.run(() => useNode("g/x", { client }));
  await eventually(() => value.value === 3);
  assert.equal(await listeners(), 1);
  scope.stop();
  await rests();
});

test("a component that is never mounted asks for nothing", async () => {
  let isSetUp = false;
  const never = new Promise(() => {});
  const Waiting = { async setup() { useNode("g/x"); isSetUp = true; await never; } };
  const shown = page(() => () => h(Suspense, null, { default: () => h(Waiting), fallback: () => "waiting" }));
  await shown.shows("waiting");
  assert.ok(isSetUp);
  assert.equal(await listeners(), 0);
  shown.end();
  assert.equal(await listeners(), 0);
});

test("without a client the error says what is missing", () => {
  const app = createApp({ setup: () => (useClient(), () => h("p")) });
  app.config.warnHandler = () => {};
  app.config.errorHandler = (error) => { throw error; };
  assert.throws(() => app.mount(document.createElement("div")), /createSluice/);
});
