// What a program in TypeScript does with client.js, and what its types have to refuse. Checked,
// never run: see test_client_js.py.
import { connect, decode, encode, SluiceError, type Applied, type Client, type Cursor, type Meta, type Options, type Owner, type SetOptions, type State, type Target, type Type, type Watch, type WatchOptions } from "../../../public/client.js";

/** Holds only where the two types are the same. */
type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
const is = <T extends true>(_?: T) => {};

const options: Options = {
  client: "panel/1", token: "t", every: 50, onState: (state: State) => void state.name, onError: (error) => void error,
  onMessage: (message, length) => void [message.op, length.toFixed()], WebSocket: class {},
};
const client: Client = connect("/v1/ws", options);
connect();
connect(new URL("wss://example.org/v1/ws"));

// watch
const celsius = client.watch("house/indoor_c", Number, (value, meta) => {
  is<Same<typeof value, number | undefined>>();
  is<Same<typeof meta, Meta>>();
  void [meta.t, meta.rev, meta.epoch, meta.c, meta.folded, meta.by, meta.ctx, meta.history, meta.gap, meta.empty, meta.fail?.code, meta.ended?.problems, meta.changed, meta.m?.["a"]?.v, meta.more];
}, { every: 500, mode: "all", queue: 100, history: 10, pipe: [{ map: "value * 2" }], prefix: true });
is<Same<typeof celsius, Watch<number>>>();
is<Same<typeof celsius.value, number | undefined>>();
const stale: boolean = celsius.stale;
celsius.again();
celsius.close();
const named = client.watch<string>("g/name", null, null);
is<Same<typeof named.value, string | undefined>>();
client.watch("g/name", String, (value) => is<Same<typeof value, string | undefined>>());
client.watch("g/lamp", Boolean, (value) => is<Same<typeof value, boolean | undefined>>());
client.watch("g/count", BigInt, (value) => is<Same<typeof value, bigint | undefined>>());
client.watch("g/any", null, (value) => is<Same<typeof value, unknown>>());
client.watch("g/at", (value) => (is<Same<typeof value, unknown>>(), new Date(Number(value))), (value) => is<Same<typeof value, Date | undefined>>());
client.watch<{ a: number }>({ graph: "g", combine: { a: "x" } }, null, (value) => void value?.a.toFixed());
client.watch({ graph: "g", nodes: ["a", "b"] }, null, null);
const target: Target = { graph: "g", node: "x" };
client.watch(target, null, null);

const text: string = encode({ count: 9007199254740993n }, 1), back: { count: bigint } = decode(text);

// owner
const panel: Owner = client.owner("panel");
const owned = panel.watch("house/indoor_c", Number, (value) => is<Same<typeof value, number | undefined>>(), { every: 500 });
is<Same<typeof owned, Watch<number>>>();
client.watch("g/x", Number, null, { owner: ["panel", "side"] });
panel.release();
panel[Symbol.dispose]();
panel.link("g", "x", "y", null, { pipe: ["distinct"], initial: false });
const synced = client.sync("g", "x", "y", (value, { fail }) => void [value, fail?.code], { to_b: "value + 1" });
synced.close();
// @ts-expect-error an owner has a name
client.owner();

// stream, observe
async function streams() {
  for await (const value of client.stream("house/indoor_c", Number, { every: 100 })) is<Same<typeof value, number>>();
  for await (const value of client.stream("house/indoor_c")) is<Same<typeof value, unknown>>();
}
const looking = client.observe("house", (event) => void event.op, { every: 100, around: "indoor_c", depth: 1 });
is<Same<typeof looking.value, undefined>>();
looking.close();

// set, get, list
async function sets() {
  const cursor = await client.set("house/target_c", 21);
  is<Same<typeof cursor, Applied>>();
  const given: SetOptions = { clear: ["override"], if: { mode: { v: "eco" }, hall: { empty: true }, x: { rev: 3 } }, ctx: { who: "me" }, presence: true, key: "k", path: ["far/house/x"] };
  await client.set("house", { target_c: 21n, mode: "eco" }, given);
  const { values } = await client.update("bank/a", "value + x", { with: { x: "b" }, if: "x > 0", key: "k" });
  await client.update("bank", { a: "value - 1", b: "value + 1" });
  await client.wipe("house", "here.*");
  const held = await client.presence("house/here.1", "Ada");
  is<Same<typeof held, Cursor | null>>();
  await client.presence("house/here.1");
  const value = await client.get("house/indoor_c", Number);
  is<Same<typeof value, number | undefined>>();
  const several = await client.get("house", ["indoor_c"]);
  await client.get("house/indoor_c", Number, { after: cursor });
  await client.get("house", ["indoor_c"], { after: several });
  void [several.epoch, several.rev, several.t, several.m["indoor_c"]?.gone];
  for (const { graph, title, epoch, rev, nodes, listeners } of await client.list()) void [graph, title?.length, epoch, rev + nodes + listeners];
}

// the connection
const forget: () => void = client.onState(({ name, stale }) => void [name, stale]);
forget();
async function connection() {
  const { name, tries, at, since, gap, code, reason } = client.state;
  is<Same<typeof name, "connecting" | "live" | "reconnecting" | "offline" | "closed">>();
  void [tries.toFixed(), at, since, gap, code, reason, client.limits.msg, client.limits.subs, client.limits.pipe, client.session, client.server];
  const ms = await client.ping(2);
  is<Same<typeof ms, number | undefined>>();
  await client.ping();
  const { expires } = await client.auth("token");
  void expires;
  client.retry();
  client.close();
}

async function failing() {
  try {
    await sets();
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    const { code, message, path, retry, after, key, repeat } = error;
    void [code, message, path, retry, after, key];
    if (code === "unknown-outcome") is<Same<Awaited<ReturnType<NonNullable<typeof repeat>>>, Cursor>>();
  }
}

const degrees: Type<number> = Number;
const words: WatchOptions["mode"] = "latest";
void [stale, back, streams, connection, failing, degrees, words];

// Wrong calls must be errors.
// @ts-expect-error: a node is named by a string or an object
client.watch(7, Number, null);
// @ts-expect-error: a function is needed, or null
client.watch("g/x", Number);
// @ts-expect-error: a number is no string
client.watch("g/x", Number, (value: string | undefined) => void value);
// @ts-expect-error: a value may be missing
client.watch("g/x", Number, (value) => value.toFixed());
// @ts-expect-error: no such mode
client.watch("g/x", Number, null, { mode: "some" });
// @ts-expect-error: an array of stages
client.watch("g/x", Number, null, { pipe: "value * 2" });
// @ts-expect-error: no such option
connect("/v1/ws", { onChange: () => {} });
// @ts-expect-error: an interval is a number
connect("/v1/ws", { every: "50" });
// @ts-expect-error: the type of a value and the constructor agree
client.watch<string>("g/x", Number, null);
// @ts-expect-error: names, not values
client.set("g", { x: 1 }, { clear: [1] });
// @ts-expect-error: a condition says what it compares
client.set("g/x", 1, { if: { x: 1 } });
// @ts-expect-error: no such option
client.set("g/x", 1, { forever: true });
// @ts-expect-error: a value is needed
client.set("g/x");
// @ts-expect-error: the state is read-only
client.state.name = "live";
// @ts-expect-error: several nodes are a list
client.get("g", Number, ["x"]);
// @ts-expect-error: a commit is an epoch and a rev
client.get("g/x", Number, { after: 7 });
// @ts-expect-error: seconds
client.ping("2");
// @ts-expect-error: looking takes a graph's name
client.observe({ graph: "g", node: "x" }, () => {});
// @ts-expect-error: text
decode(7);
// @ts-expect-error: there is no such function
client.subscribe("g/x");
// @ts-expect-error: a producer names a graph and nodes
client.demand("g/x", (wanted) => {});
