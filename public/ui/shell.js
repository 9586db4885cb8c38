// What is around every view: the bar with <conn-state>, whether what is on the page is true now; graphs, tabs, and the doors to ui/tools.js.
import { arrange, h, icon, load, setText, setAttribute } from "/lib/dom.js";
import { formatDuration, plural } from "/lib/format.js";
import { graphPath, href } from "/lib/page.js";

const tabs = [["", "Graph", "graph"], ["dash", "Dashboard", "dash"], ["values", "Values", "values"]];
const icons = {
  graph: "M3 4.5h3v3H3zM10 2.5h3v3h-3zM10 10.5h3v3h-3zM6 6h2v-2h2M8 6v6h2",
  dash: "M2.5 2.5h5v6h-5zM10 2.5h3.5v3H10zM10 8h3.5v5.5H10zM2.5 11h5v2.5h-5z",
  values: "M2.5 3.5h11M2.5 8h11M2.5 12.5h11",
  clients: "M5.5 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM2 13c0-2 1.5-3.5 3.5-3.5S9 11 9 13M11 8a1.5 1.5 0 1 0 0-3M11 10c1.8 0 3 1.2 3 3",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11v11M8 5h4.5M8 8h5.5M8 11h4.5",
  leave: "M6.5 3H3v10h3.5M7 8h6.5M10.5 5l3 3-3 3",
  help: "M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6.9v.4M8 11.5v.1",
};
const marks = { connecting: "ring", live: "dot", reconnecting: "ring", offline: "slash", closed: "square" };

/** The server wants a token. */
export const isSignedOut = ({ name, code }) => name === "closed" && (code === 4401 || code === 4408);

/** The state in words. */
export function words(state, now = Date.now()) {
  const next = state.at > now ? `next in ${Math.ceil((state.at - now) / 1000)} s` : "now";
  switch (state.name) {
  case "live": return state.late ? "No answer from the server" : "Live";
  case "connecting": return state.late ? "No answer from the server yet" : "Connecting";
  case "reconnecting": return `${state.since ? "Reconnecting" : "Cannot connect"}, try ${state.tries}, ${next}`;
  case "offline": return state.since ? `Offline for ${formatDuration(Math.max(1000, now - state.since))}` : "Offline";
  default: return isSignedOut(state) ? "Signed out" : "Closed";
  }
}

/** Said for two seconds after a reconnect. */
export function resumedWords({ name, gap, restarted }) {
  if (name !== "live" || gap === undefined) return "";
  return restarted ? "Restarted, state reloaded" : `Resumed, ${formatDuration(gap)} gap`;
}

class ConnectionState extends HTMLElement {
  retry = h("button", { type: "button", class: "small", hidden: true }, "Retry now");
  meters = h("span", { class: "conn-meters small num dim" });
  #text = h("span", { class: "conn-text" });
  chip = h("button", { type: "button", class: "quiet conn-chip", title: "About this connection" },
    h("span", { class: "conn-mark", "aria-hidden": "true" }), this.#text, this.meters);
  #state = { name: "connecting" };
  #until = 0;

  connectedCallback() { this.append(this.chip, this.retry); }

  show(state) {
    const resumed = resumedWords(state);
    if (resumed && resumed !== resumedWords(this.#state)) this.#until = Date.now() + 2000;
    this.#state = state;
    this.tick();
  }

  tick() {
    const state = this.#state, { name, late } = state, hadFocus = document.activeElement === this.retry;
    setText(this.#text, Date.now() < this.#until && !late ? resumedWords(state) : words(state));
    this.dataset.state = name;
    this.dataset.mark = late ? "ring" : marks[name];
    this.retry.hidden = /^(connecting|live)$/.test(name);
    this.meters.hidden = name !== "live";
    if (hadFocus && this.retry.hidden) this.chip.focus();
  }
}

customElements.define("conn-state", ConnectionState);

const button = (name, label, onclick, more) =>
  h("button", { type: "button", class: "quiet only-icon", "aria-label": label, title: label, onclick, ...more }, icon(icons[name]));

export class Shell {
  /** For the view's own tools. */
  slot = h("div", { class: "slot" });
  #page; #route = { name: "graphs", params: {} }; #graph = null; #isAttended = false;
  #state = document.createElement("conn-state");
  #heading = h("h1");
  #tabs = h("nav", { class: "tabs", "aria-label": "Views of the graph" });
  #sidebar = document.getElementById("sidebar");

  constructor(page) {
    this.#page = page;
    const { client, store, frame } = page;
    document.getElementById("connection").append(this.#state);
    document.getElementById("context").append(this.#heading, this.#tabs, this.slot);
    const leave = button("leave", "Sign out", () => this.#tool("signOut"));
    const theme = button("theme", `Theme: ${document.documentElement.dataset.theme ?? "system"}`, () => this.#tool("theme", theme), { "aria-haspopup": "menu" });
    const keys = button("help", "Keys (?)", () => this.help());
    const paused = h("button", { type: "button", class: "paused", title: "Resume the display (P)", onclick: () => { store.set("paused", false); keys.focus(); } }, "Paused");
    document.getElementById("tools").append(paused, leave, theme, keys);
    store.listen("session", (session) => (leave.hidden = !session));
    store.listen("paused", (isPaused) => (paused.hidden = !isPaused));
    document.getElementById("skip").onclick = () => document.getElementById("main").focus();
    this.#state.retry.onclick = () => client.retry();
    this.#state.chip.onclick = () => this.#tool("aboutConnection");
    store.listen("state", (state) => this.#show(state));
    store.listen("present", (isPresent) => isPresent && this.#attend());
    store.listen("graphs", () => this.#list());
    frame.tick(() => this.#tick());
  }

  route(route) {
    const { name, params: { graph }, query } = this.#route = route, inGraph = graph !== undefined, isKiosk = query.get("kiosk") === "1";
    this.#graph = graph ?? this.#graph;
    document.documentElement.toggleAttribute("data-kiosk", isKiosk);
    for (const link of document.querySelectorAll(".views a")) {
      setAttribute(link, "aria-current", (inGraph ? "graphs" : name) === link.dataset.view && "page");
    }
    document.getElementById("context").hidden = this.#sidebar.hidden = !inGraph || isKiosk;
    const entry = (view, to, ...label) => h("a", { href: href(to), "aria-current": view === name && "page" }, label);
    if (inGraph) arrange(this.#tabs, tabs.map(([view, label, own]) => entry(own, graphPath(graph, view), label)));
    const bottom = document.getElementById("bottom"), shown = this.#graph;
    bottom.hidden = isKiosk;
    arrange(bottom, [...tabs.map(([view, label, own]) => entry(own === "graph" && !inGraph ? "graphs" : own, shown ? graphPath(shown, view) : "/", icon(icons[own], 20), label)),
      entry("clients", "/clients", icon(icons.clients, 20), "Clients")]);
    this.#list();
  }

  /** Goes to a view of the graph shown last, or of the first one. */
  visit(view) {
    const graph = this.#graph ?? this.#page.store.get("graphs")?.[0]?.graph;
    this.#page.go(graph ? graphPath(graph, view) : "/");
  }

  async #refresh() {
    const { client, store } = this.#page;
    if (client.state.name !== "live") return;
    try { store.set("graphs", await client.list()); } catch { /* the connection's state says it */ }
  }

  #list() {
    const graphs = this.#page.store.get("graphs") ?? [], { name, params: { graph } } = this.#route;
    setText(this.#heading, graphs.find((each) => each.graph === graph)?.title || graph || "");
    if (this.#sidebar.hidden) return;
    arrange(this.#sidebar, [h("h2", {}, "Graphs"), ...graphs.map((each) => h("a", {
      href: href(graphPath(each.graph, name === "graph" ? "" : name)), "aria-current": each.graph === graph && "page",
    }, each.title || each.graph, h("small", {}, `${plural(each.nodes, "named node")}, ${plural(each.listeners, "subscription")}`)))]);
  }

  #show(state) {
    const before = this.#state.dataset.state, { name } = state;
    this.#state.show(state);
    if (before && before !== name) this.#page.announce(resumedWords(state) || words(state));
    if (name === "live" && before !== "live") this.#refresh();
    if (name === "offline" || name === "closed") this.#attend();
  }

  /** The figures of the connection, and what is said about a server that is away. */
  async #attend() {
    if (this.#isAttended) return;
    this.#isAttended = true;
    try { (await load("/ui/tools.js")).attend(this.#page, this.#state.meters); } catch { this.#isAttended = false; }
  }

  #tick() {
    this.#state.tick();
    if (Date.now() % 5000 < 1000) this.#refresh();
  }

  help() { this.#tool("help"); }

  async #tool(name, ...given) {
    let tools;
    try { tools = await load("/ui/tools.js"); } catch { return this.#page.announce("Not there: the server does not answer", { assertive: true }); }
    tools[name](this.#page, ...given);
  }
}
