// The page's one client, and what only a page shows of its connection: figures, silence, and whether the server began anew.
import { connect } from "/client.js";

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/**
 * Connects, and keeps `state` in the store: the client's own, with `late` (the server was asked and is silent) and
 * `restarted` (after a reconnect: it has begun another history). `meters` has totals, and the round trip in milliseconds.
 */
export function join(store, frame) {
  const meters = { rtt: null, messages: 0, updates: 0, bytes: 0 }, epochs = new Map();
  let late = false, restarted = false, asked = 0, pinged = 0, trips = null;

  const client = connect("/v1/ws", {
    client: "dashboard",
    onState(state) {
      late = restarted = false;
      // While the socket is being made, too, an answer is waited for.
      asked = state.name === "live" || state.name === "closed" || state.at ? 0 : performance.now();
      show(state);
    },
    onMessage({ op, d, val }, length) {
      meters.messages++;
      meters.bytes += length;
      if (op === "upd") for (const { n = 1 } of d) meters.updates += n;
      meters.updates += val?.length ?? 0;
      asked = 0;
      if (late) show(client.state, (late = false));
    },
  });

  function show(state) {
    store.set("state", Object.freeze({ ...state, late, restarted }));
    document.documentElement.dataset.conn = state.name;
    dispatchEvent(new Event("connection"));
  }

  frame.tick(async () => {
    const now = performance.now();
    if (!late && asked && now - asked > 1500) show(client.state, (late = true));
    if (client.state.name !== "live" || asked || now - pinged < 1900) return;
    asked = pinged = now;
    const trip = await client.ping();
    if (trip === undefined) return;
    // The first trip is one of a page that is loading.
    trips = trips ? [...trips.slice(-4), trip] : [];
    if (trips.length) meters.rtt = median(trips);
  });

  store.listen("graphs", (graphs = []) => {
    const isOther = graphs.some(({ graph, epoch }) => (epochs.get(graph) ?? epoch) !== epoch);
    for (const { graph, epoch } of graphs) epochs.set(graph, epoch);
    if (isOther && client.state.gap !== undefined) show(client.state, (restarted = true));
  });
  show(client.state);
  return { client, meters };
}
