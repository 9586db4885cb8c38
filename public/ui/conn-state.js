// <conn-state>: whether what is on the page is true at this moment, in words, colour and shape.
import { h, setText, setAttribute } from "/lib/dom.js";
import { formatDuration } from "/lib/format.js";

const marks = { connecting: "ring", live: "dot", reconnecting: "ring", offline: "slash", closed: "square" };

/** The words for a state of the client; pure, so that they are tested. */
export function words(state, now = Date.now()) {
  const next = state.at > now ? `next in ${Math.ceil((state.at - now) / 1000)} s` : "now";
  switch (state.name) {
  case "live": return state.late ? "No answer from the server" : "Live";
  case "connecting": return state.late ? "No answer from the server yet" : "Connecting";
  case "reconnecting":
    return state.since ? `Reconnecting, try ${state.tries}, ${next}` : `Cannot connect, try ${state.tries}, ${next}`;
  case "offline": return state.since ? `Offline for ${formatDuration(now - state.since)}` : "Offline";
  default: return state.code === 4401 || state.code === 4408 ? "Signed out" : "Closed";
  }
}

/** What is said for two seconds after a reconnect; empty where there was none. */
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
    setAttribute(this.#retry, "hidden", !(state.name === "reconnecting" || state.name === "offline" || state.name === "closed"));
    setAttribute(this.#meters, "hidden", state.name !== "live");
  }

  /** The short line beside the state. */
  meters(line) { setText(this.#meters, line); }
}

customElements.define("conn-state", ConnectionState);
