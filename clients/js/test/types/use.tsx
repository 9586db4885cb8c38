// What programs do with each entry point, and what the compiler has to refuse. Checked, never run.
import { createElement } from "react";
import { connect, SluiceError, type Applied, type State } from "sluice-client";
import { SluiceProvider, useClient, useConnection, useNode, useNodes, type NodeHook } from "sluice-client/react";
import { connection, node, type NodeState } from "sluice-client/svelte";
import * as vue from "sluice-client/vue";
import { createApp, ref } from "vue";

/** Holds only where the two types are the same. */
type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
const is = <T extends true>(_?: T) => {};
const client = connect("/v1/ws");
client.watch("house/indoor_c", null, (value) => is<Same<typeof value, number | undefined>>());
// @ts-expect-error: there is no such node
client.watch("house/indor_c", null, null);

// React
function Shown({ room }: { room: string | null }) {
  const { value, meta, loading, empty, stale, error, set } = useNode("other/x", { type: Number, every: 500, facets: true });
  is<Same<typeof value, number | undefined>>();
  is<Same<typeof error, SluiceError | undefined>>();
  const known = useNode("house/mode");
  is<Same<typeof known.value, "eco" | "off" | undefined>>();
  known.set("eco");
  // @ts-expect-error: no value of the enum
  known.set("on");
  // @ts-expect-error: there is no such node
  useNode("house/indor_c");
  // @ts-expect-error: nor here
  useNode("house/indor_c", { type: Number });
  // @ts-expect-error: it is derived
  useNode("house/indoor_f").set(70);
  const member = useNode("house/sensor.7.celsius");
  is<Same<typeof member.value, number | undefined>>();
  const object = useNode<{ t: number }>({ graph: "other", combine: { t: "x" } });
  void object.value?.t.toFixed();
  const chosen = useNode(room && `other/${room}`, { type: String });
  is<Same<typeof chosen.value, string | undefined>>();
  const several = useNodes("house", ["indoor_c", "mode"]);
  is<Same<typeof several.value, Partial<{ indoor_c: number; mode: "eco" | "off" }> | undefined>>();
  several.set({ mode: "off" });
  // @ts-expect-error: there is no such node
  several.set({ mood: "off" });
  const others = useNodes<number>("other", ["x.*"]);
  void others.value?.["x.1"]?.toFixed();
  const hook: NodeHook<number> = useNode<number>("other/y");
  is<Same<ReturnType<typeof useConnection>, State>>();
  const applied: Promise<Applied> = set(7, { ctx: "by hand" });
  useClient()?.close();
  return <p title={String([meta?.rev, loading, empty, stale, hook, applied])}>{value ?? "none"}</p>;
}
const app = <SluiceProvider client={client}><Shown room="x" /></SluiceProvider>;
const rendered = <SluiceProvider client={null}>{app}</SluiceProvider>;
// @ts-expect-error: a provider has a client, or says that it has none
const wrong = <SluiceProvider>{app}</SluiceProvider>;

// Svelte
const store = node(client, "other/x", { type: Number });
const end: () => void = store.subscribe((value) => is<Same<typeof value, number | undefined>>());
store.state.subscribe((state) => is<Same<typeof state, NodeState<number>>>());
store.set(7).then(end);
store.update((value) => (value ?? 0) + 1);
connection(client).subscribe((state) => is<Same<typeof state, State>>());
node(client, "house/mode").set("eco");
// @ts-expect-error: no value of the enum
node(client, "house/mode").set("on");
// @ts-expect-error: there is no such node
node(client, "house/mood");

// Vue
createApp({}).use(vue.createSluice(client));
const target = ref<string | null>("other/x");
const { value, stale, set } = vue.useNode(target, { type: Number });
is<Same<typeof value.value, number | undefined>>();
is<Same<typeof stale.value, boolean>>();
set(7);
is<Same<ReturnType<typeof own>, number | undefined>>();
function own() { return vue.useNode<number>("other/x").value.value; }
vue.useNode(() => "other/x", { client });
const mode = vue.useNode("house/mode");
is<Same<typeof mode.value.value, "eco" | "off" | undefined>>();
// @ts-expect-error: there is no such node
vue.useNode("house/mood");
void vue.useNodes("house", ["mode"]).value.value?.mode;
is<Same<typeof vue.useConnection extends (...given: never[]) => { readonly value: infer S } ? S : never, State>>();
void [rendered, wrong, createElement];
