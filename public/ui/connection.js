// The state of the connection, in words, colour and shape: <conn-state> in the bar, and the banner
// below it.
import { h, setText } from "/lib/dom.js";
import { formatDuration } from "/lib/format.js";

const marks = { connecting: "ring", live: "dot", reconnecting: "ring", offline: "slash", closed: "square" };

/** The server wants a token. */
export const isSignedOut = ({ name, code }) => name === "closed" && (code === 4401 || code === 4408);

/** The state in a word or two, and details for which there may be room. */
function partsOf(state, now) {
  const next = state.at > now ? `next in ${Math.ceil((state.at - now) / 1000)} s` : "now";
  switch (state.name) {
  case "live": return state.late ? ["No answer", " from the server"] : ["Live", ""];
  case "connecting": return state.late ? ["No answer", " from the server yet"] : ["Connecting", ""];
  case "reconnecting": return [state.since ? "Reconnecting" : "Cannot connect", `, try ${state.tries}, ${next}`];
  case "offline": return ["Offline", state.since ? ` for ${formatDuration(Math.max(1000, now - state.since))}` : ""];
  default: return [isSignedOut(state) ? "Signed out" : "Closed", ""];
  }
}

export const words = (state, now = Date.now()) => partsOf(state, now).join("");

/** Shown for a while after a reconnect: whether anything was missed. */
export function resumedWords({ name, gap, restarted, lost }) {
  if (name !== "live" || gap === undefined) return "";
  if (restarted) return "Restarted, values began anew";
  return `Back after ${formatDuration(gap)}, ${lost ? "some values are missing" : "nothing was lost"}`;
}

/** How long the result of a reconnect is shown (ms). */
const saidFor = 3000;

class ConnectionState extends HTMLElement {
  retry = h("button", { type: "button", class: "small", hidden: true }, "Retry now");
  meters = h("span", { class: "conn-meters small num dim" });
  #main = h("span", {}, ""); #detail = h("span", { class: "conn-detail" }, "");
  #text = h("span", { class: "conn-text" }, this.#main, this.#detail);
  chip = h("button", { type: "button", class: "quiet conn-chip", title: "About this connection" },
    h("span", { class: "conn-mark", "aria-hidden": "true" }), this.#text, this.meters);
  #state = { name: "connecting" };
  #until = 0;

  connectedCallback() { this.append(this.chip, this.retry); }

  show(state) {
    const resumed = resumedWords(state);
    if (resumed && resumed !== resumedWords(this.#state)) this.#until = Date.now() + saidFor;
    this.#state = state;
    this.tick();
  }

  tick() {
    const state = this.#state, { name, late } = state, hadFocus = document.activeElement === this.retry;
    const [main, detail] = Date.now() < this.#until && !late ? [resumedWords(state), ""] : partsOf(state, Date.now());
    setText(this.#main, main);
    setText(this.#detail, detail);
    this.dataset.state = name;
    this.dataset.mark = late ? "ring" : marks[name];
    this.retry.hidden = /^(connecting|live)$/.test(name) || isSignedOut(state);
    this.meters.hidden = name !== "live";
    if (hadFocus && this.retry.hidden) this.chip.focus();
  }
}

customElements.define("conn-state", ConnectionState);

/** A connection that is back within this time (ms) needs no banner. */
const patience = 2000;

/**
 * Messages about the whole page, shown once above it: an outage, another server, clients that set
 * removed nodes.
 */
export class Banner {
  #element; #store; #first; #isNewer = false; #tried = 0; #said = ""; #dismissed = new Set();

  constructor(element, { frame, store }) {
    this.#element = element;
    this.#store = store;
    store.listen("state", (state) => { this.#show(); this.#ask(state); });
    // Not while the page is opening.
    store.listen("present", () => this.#ask(store.get("state")));
    store.listen("graphs", () => this.#show());
    frame.tick(() => this.#show());
  }

  #show() {
    const outage = this.#outage(), said = outage || this.#newer() || this.#missed();
    this.#element.hidden = !said;
    this.#element.toggleAttribute("data-outage", outage !== "");
    if (said === this.#said) return;
    this.#said = said;
    this.#element.replaceChildren(h("span", {}, said), this.#button(said) ?? "");
  }

  /** The age of all values counts from the loss of the connection. */
  #outage(now = Date.now()) {
    const { name, code, reason, since } = this.#store.get("state") ?? {};
    if (name === "closed" && code !== 1000 && !isSignedOut({ name, code })) {
      return `The server has closed the connection${reason ? `: ${reason}` : ""}. Nothing is updated any more.`;
    }
    if (!/^(reconnecting|offline)$/.test(name) || !since || now - since < patience) return "";
    const age = formatDuration(Math.floor((now - since) / 1000) * 1000);
    // The other kiosk only shows values.
    const rest = document.documentElement.dataset.kiosk === "1" ? "" : "; nothing can be set";
    return `Not connected for ${age}. What you see is from before${rest}.`;
  }

  /** A newer page is loaded only if the user asks for it. */
  #newer() {
    if (!this.#isNewer) return "";
    const isLive = this.#store.get("state").name === "live";
    return `The server has been updated. ${isLive ? "This page still works; reload it when it suits you." : "It may not talk to this page any more."}`;
  }

  /** In all graphs: removed nodes that clients still set. */
  #missed() {
    const missed = (this.#store.get("graphs") ?? []).filter(({ graph, missed }) => missed
      && !this.#dismissed.has(`${graph} ${missed}`));
    return missed.map(({ graph, title, missed }) =>
      `Clients still set ${missed.join(", ")}, which ${title || graph} does not have any more.`).join(" ");
  }

  #button(said) {
    if (this.#isNewer && said === this.#newer()) return h("button",
      { type: "button", onclick: () => location.reload() }, "Reload to update");
    if (said && said === this.#missed()) return h("button", { type: "button", onclick: () => this.#dismiss() },
      "Dismiss");
    return null;
  }

  #dismiss() {
    for (const { graph, missed } of this.#store.get("graphs")
      ?? []) if (missed) this.#dismissed.add(`${graph} ${missed}`);
    this.#show();
  }

  /**
   * Checks whether this is still the server that the page came from: with each new connection, and
   * with the third try.
   */
  async #ask({ name, tries, at }) {
    if (!this.#store.get("present")) return;
    const wants = name === "live" ? this.#tried !== 0 || !this.#first : at && tries === 3;
    this.#tried = name === "live" ? 0 : tries;
    if (!wants) return;
    try {
      const { version, protocol } = await (await fetch("/version")).json(), now = `${version} ${protocol}`;
      this.#isNewer = (this.#first ??= now) !== now;
      this.#show();
    } catch { /* asked again with the next state that needs it */ }
  }
}
