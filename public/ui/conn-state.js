// The page's one client, what only a page shows of its connection, and <conn-state>: whether what is on the page is true now.
import { connect } from "/client.js";
import { h, setText, setAttribute } from "/lib/dom.js";
import { formatDuration } from "/lib/format.js";

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** Keeps `state` in the store: the client's own, with `late` (the server is silent) and `restarted` (it has begun another history). */
export function join(store, frame) {
  const meters = { rtt: null, messages: 0, updates: 0, bytes: 0 }, epochs = new Map();
  let late = false, restarted = false, asked = 0, pinged = 0, trips = null;

  const client = connect("/v1/ws", {
    client: "dashboard",
    onState(state) {
      late = restarted = false;
      // An answer is also awaited while the socket is being made.
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

/** The server wants a token. */
export const isSignedOut = ({ name, code }) => name === "closed" && (code === 4401 || code === 4408);

const marks = { connecting: "ring", live: "dot", reconnecting: "ring", offline: "slash", closed: "square" };

export function words(state, now = Date.now()) {
  const next = state.at > now ? `next in ${Math.ceil((state.at - now) / 1000)} s` : "now";
  switch (state.name) {
  case "live": return state.late ? "No answer from the server" : "Live";
  case "connecting": return state.late ? "No answer from the server yet" : "Connecting";
  case "reconnecting":
    return state.since ? `Reconnecting, try ${state.tries}, ${next}` : `Cannot connect, try ${state.tries}, ${next}`;
  case "offline": return state.since ? `Offline for ${formatDuration(now - state.since)}` : "Offline";
  default: return isSignedOut(state) ? "Signed out" : "Closed";
  }
}

/** Said for two seconds after a reconnect. */
export function resumedWords(state) {
  if (state.name !== "live" || state.gap === undefined) return "";
  return state.restarted ? "Restarted, state reloaded" : `Resumed, ${formatDuration(state.gap)} gap`;
}

export class ConnectionState extends HTMLElement {
  #text = h("span", { class: "conn-text" });
  #mark = h("span", { class: "conn-mark", "aria-hidden": "true" });
  #retry = h("button", { type: "button", class: "small", hidden: true }, "Retry now");
  #meters = h("span", { class: "conn-meters small num dim" });
  #chip = h("button", { type: "button", class: "quiet conn-chip", title: "About this connection" }, this.#mark, this.#text, this.#meters);
  #state = { name: "connecting" };
  #until = 0;

  connectedCallback() {
    if (this.firstChild) return;
    this.append(this.#chip, this.#retry);
  }

  onRetry(act) { this.#retry.addEventListener("click", act); }
  onChip(act) { this.#chip.addEventListener("click", act); }

  show(state, now = Date.now()) {
    if (resumedWords(state) && resumedWords(state) !== resumedWords(this.#state)) this.#until = now + 2000;
    this.#state = state;
    this.tick(now);
  }

  tick(now = Date.now()) {
    const state = this.#state;
    setText(this.#text, now < this.#until && !state.late ? resumedWords(state) : words(state, now));
    this.dataset.state = state.name;
    this.dataset.mark = state.late ? "ring" : marks[state.name];
    setAttribute(this.#retry, "hidden", !/reconnecting|offline|closed/.test(state.name));
    setAttribute(this.#meters, "hidden", state.name !== "live");
  }

  meters(line) { setText(this.#meters, line); }
}

customElements.define("conn-state", ConnectionState);
