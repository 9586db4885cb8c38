// What the compiler finds out where a graph is described as `sluice types --for ts` does it.
// Checked, never run: see test_client_js.py.
import { connect, type KnownNode } from "../../../public/client.js";

declare module "../../../public/client.js" {
  interface Graphs {
    house: {
      "indoor_c": number;
      "mode": "eco" | "off";
      "note": unknown;
      "climate": { "t": number; "h"?: number };
      readonly "indoor_f": number;
      [id: `sensor.${string}.celsius`]: number;
    };
  }
}

/** Holds only where the two types are the same. */
type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
const is = <T extends true>(_?: T) => {};
const client = connect();

// Values have the types of their nodes.
client.watch("house/indoor_c", null, (value) => is<Same<typeof value, number | undefined>>());
client.watch("house/mode", null, (value) => is<Same<typeof value, "eco" | "off" | undefined>>(), { every: 500, mode: "all" });
client.watch("house/sensor.7.celsius", null, (value) => is<Same<typeof value, number | undefined>>());
client.owner("panel").watch("house/climate", null, (value) => void value?.h?.toFixed());
async function reads() {
  for await (const value of client.stream("house/mode")) is<Same<typeof value, "eco" | "off">>();
  const mode = await client.get("house/mode");
  is<Same<typeof mode, "eco" | "off" | undefined>>();
  const { m } = await client.get("house", ["mode"]);
  void m["mode"]?.v;
}

// A type of one's own, a pipeline, several nodes and other graphs are as without it.
client.watch("house/indoor_c", String, (value) => is<Same<typeof value, string | undefined>>());
client.watch<string>("house/indoor_c", null, (value) => is<Same<typeof value, string | undefined>>());
client.watch("house/indoor_c", null, (value) => is<Same<typeof value, unknown>>(), { pipe: [{ map: "string(value)" }] });
client.watch("house/sensor.*.celsius,mode", null, (value) => is<Same<typeof value, unknown>>());
client.watch("house/indoor_c,mode", null, null);
client.watch("cellar/depth", null, (value) => is<Same<typeof value, unknown>>());
client.watch({ graph: "house", node: "indoor_c" }, null, null);
const computed: string = "house/" + "mode";
client.watch(computed, null, null);

// Sets are checked.
client.set("house/indoor_c", 20.5);
client.set("house/indoor_c", 9007199254740993n);
client.set("house/note", { any: "thing" });
client.set("house", { indoor_c: 21, mode: "eco", "sensor.8.celsius": 4 });
client.set("cellar/depth", "deep");
client.set(computed, 7);
client.presence("house/mode", "eco");
client.update("house/indoor_c", "value + 1");
const node: KnownNode = "house/mode";
void [reads, node];

// Wrong calls must be errors.
// @ts-expect-error: there is no such node
client.watch("house/indor_c", null, null);
// @ts-expect-error: nor here
client.watch("house/indor_c", Number, null);
// @ts-expect-error: nor here
client.stream("house/indor_c");
// @ts-expect-error: nor here
client.get("house/indor_c");
// @ts-expect-error: nor here
client.update("house/indor_c", "value + 1");
// @ts-expect-error: no value of the enum
client.set("house/mode", "on");
// @ts-expect-error: no number
client.set("house/sensor.7.celsius", "warm");
// @ts-expect-error: it is derived
client.set("house/indoor_f", 70);
// @ts-expect-error: so it is not here either
client.set("house", { indoor_f: 70 });
// @ts-expect-error: no such node
client.set("house", { indor_c: 20 });
// @ts-expect-error: 't' is missing
client.set("house/climate", { h: 3 });
// @ts-expect-error: no value of the enum
client.presence("house/mode", "on");
// @ts-expect-error: no such node of a graph that is known
const wrong: KnownNode = "house/indor_c";
