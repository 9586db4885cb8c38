// The page: what is around every view, and the view that the address names.
import { connect } from "/client.js";
import { Announcer, Frame, Keys, Router, Store, arrange, graphPath, h, href, icon, load, setAttribute, setText, style, styled } from "/lib/dom.js";
import { formatDuration, plural } from "/lib/format.js";

const tabs = [["", "Graph", "graph"], ["dash", "Dashboard", "dash"], ["values", "Values", "values"]];
const icons = {
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11v11M8 5h4.5M8 8h5.5M8 11h4.5",
  leave: "M6.5 3H3v10h3.5M7 8h6.5M10.5 5l3 3-3 3",
  past: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3l2 1.5",
  help: "M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6.9v.4M8 11.5v.1",
};
const marks = { connecting: "ring", live: "dot", reconnecting: "ring", offline: "slash", closed: "square" };

/** The server wants a token. */
export const isSignedOut = ({ name, code }) => name === "closed" && (code === 4401 || code === 4408);

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
  return restarted ? "Restarted, values began anew" : `Back after ${formatDuration(gap)}, nothing was lost`;
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

class Shell {
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
    this.pastButton = h("button", { type: "button", class: "quiet past-button", "aria-pressed": "false", title: "Look at the past (H)", onclick: () => lookBack() }, icon(icons.past), "History");
    document.getElementById("context").append(this.#heading, this.#tabs, this.slot, this.pastButton);
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
    store.listen("narrow", () => this.#bottom());
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
    if (inGraph) arrange(this.#tabs, tabs.map(([view, label, own]) => h("a", { href: href(graphPath(graph, view)), "aria-current": own === name && "page" }, label)));
    this.#bottom();
    this.#list();
  }

  /** Small screens have the views at their lower edge. */
  #bottom() {
    if (!this.#page.store.get("narrow")) return;
    load("/ui/bottom.js").then(({ bottom }) => bottom(this.#route, this.#graph, tabs), () => { /* asked for again with the next address */ });
  }

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
    }, each.title || each.graph, h("small", {}, `${plural(each.nodes, "named node")}, `, h("span", {}, plural(each.listeners, "subscription")))))]);
  }

  #show(state) {
    const before = this.#state.dataset.state, { name } = state;
    this.#state.show(state);
    if (before && before !== name) this.#page.announce(resumedWords(state) || words(state));
    if (name === "live" && before !== "live") this.#refresh();
    if (name === "offline" || name === "closed") this.#attend();
  }

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

const views = {
  graphs: "/views/graphs.js",
  graph: "/graph/page.js",
  dash: "/dash/page.js",
  values: "/views/values.js",
  clients: "/views/clients.js",
  about: "/views/about.js",
};

const main = document.getElementById("main");
const store = new Store();
const frame = new Frame();
const keys = new Keys();
const announcer = new Announcer(document.getElementById("polite"), document.getElementById("assertive"));
const announce = (text, options) => announcer.announce(text, options);

const follow = (query, key) => {
  const media = matchMedia(query);
  store.set(key, media.matches);
  media.addEventListener("change", () => store.set(key, media.matches));
};
follow("(max-width: 759px)", "narrow");
follow("(prefers-reduced-motion: reduce)", "reduced");
follow("(prefers-color-scheme: dark)", "theme");
store.set("paused", false);

// That there is a session, not whose: its cookie is out of reach of scripts.
try { store.set("session", localStorage.getItem("sluice.session") !== null); } catch { store.set("session", false); }
store.listen("session", (session) => {
  try { session ? localStorage.setItem("sluice.session", "yes") : localStorage.removeItem("sluice.session"); } catch { /* for now only */ }
});

// `state` in the store is the client's own, with `late` (the server is silent) and `restarted` (it has begun another history).
const meters = { trips: null, messages: 0, updates: 0, bytes: 0 }, epochs = new Map();
let late = false, restarted = false, asked = 0, pinged = 0;

const client = connect("/v1/ws", {
  client: "dashboard",
  onState(state) {
    late = restarted = false;
    // An answer is also awaited while the socket is being made.
    asked = state.name === "live" || state.name === "closed" || state.at ? 0 : performance.now();
    tell(state);
  },
  onMessage({ op, d, val }, length) {
    meters.messages++;
    meters.bytes += length;
    if (op === "upd") for (const { n = 1 } of d) meters.updates += n;
    meters.updates += val?.length ?? 0;
    asked = 0;
    if (late) tell(client.state, (late = false));
  },
});

function tell(state) {
  store.set("state", Object.freeze({ ...state, late, restarted }));
  document.documentElement.dataset.conn = state.name;
  dispatchEvent(new Event("connection"));
}

frame.tick(async () => {
  const now = performance.now();
  if (!late && asked && now - asked > 1500) tell(client.state, (late = true));
  if (client.state.name !== "live" || asked || now - pinged < 1900) return;
  asked = pinged = now;
  const trip = await client.ping();
  if (trip === undefined) return;
  // The first trip is one of a page that is loading.
  meters.trips = meters.trips ? [...meters.trips.slice(-4), trip] : [];
});

store.listen("graphs", (graphs = []) => {
  const isOther = graphs.some(({ graph, epoch }) => (epochs.get(graph) ?? epoch) !== epoch);
  for (const { graph, epoch } of graphs) epochs.set(graph, epoch);
  if (isOther && client.state.gap !== undefined) tell(client.state, (restarted = true));
});
tell(client.state);

const dialogs = Object.fromEntries(["open", "confirm", "menu"].map((name) => [name, async (...given) => {
  const module = await load("/ui/dialogs.js");
  await styled();
  return module[name](...given);
}]));

// Fetched before it is needed, when there may be no server.
const present = () => store.set("present", true);
for (const event of ["pointermove", "pointerdown", "keydown"]) addEventListener(event, present, { once: true });
setTimeout(present, 3000);
store.listen("present", (isPresent) => isPresent && load("/ui/dialogs.js").catch(() => { /* asked for again when it is needed */ }));

const shell = new Shell({ client, meters, store, frame, keys, dialogs, announce, go: (...a) => router.go(...a) });

let current = null, past = null;

async function lookBack() {
  if (past) return past.close();
  const { path, route: { params: { graph } } } = current;
  if (!graph) return;
  try {
    const module = await load("/ui/past.js");
    if (past || current.path !== path || current.graph !== graph) return;
    const page = { client, store, frame, keys, dialogs, announce, style, href, main, slot: shell.slot, context: document.getElementById("context"), go: (...a) => router.go(...a) };
    await module.lookBack(page, current, shell.pastButton, (opened) => (past = opened));
  } catch (error) {
    if (error.name !== "AbortError") announce(`The past cannot be shown: ${error.message}`, { assertive: true });
  }
}

const sentence = (title, ...rest) => h("div", { class: "notice" }, h("h1", {}, title), rest);

async function show(route) {
  const path = isSignedOut(store.get("state")) ? "/views/sign-in.js" : views[route.name];
  shell.route(route);
  if (past && (past.graph !== route.params.graph || path !== views[route.name])) past.close();
  if (current && current.path === path && current.view?.update && current.graph === route.params.graph) {
    Object.assign(current, { route }).view.update(route);
    return past?.follow(path, route);
  }
  const before = current;
  const ending = new AbortController();
  const mine = (current = { path, graph: route.params.graph, view: null, ending, route });
  before?.ending.abort();
  try { before?.view?.unmount?.(); } catch (error) { reportError(error); }
  shell.slot.replaceChildren();
  const element = h("div", { class: "view" });
  main.replaceChildren(element);
  if (before && before.path !== path) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
  document.title = route.params.graph ? `${route.params.graph} · Sluice` : "Sluice";
  if (!path) {
    element.replaceWith(sentence("There is nothing here", h("p", {}, "This address names no view. "), h("a", { href: href("/") }, "All graphs")));
    return;
  }
  const context = {
    route, client, store, frame, keys, dialogs, announce, style, href, signal: ending.signal, header: shell.slot,
    go: (to, options) => router.go(to, options),
    title: (text) => { if (current === mine) document.title = `${text} · Sluice`; },
  };
  try {
    const { mount } = await load(path);
    await styled();
    if (current !== mine) return;
    const view = await mount(element, context);
    // Another may have come meanwhile.
    if (current === mine) {
      mine.view = view;
      past?.follow(path, route);
    }
    else view?.unmount?.();
  } catch (error) {
    if (current !== mine) return;
    ending.abort();
    mine.isMissing = true;
    main.replaceChildren(sentence("This view cannot be shown", h("p", {}, `${path}: ${error.message}. Reload the page to try again.`),
      route.params.graph && h("a", { href: href(graphPath(route.params.graph, "values")) }, "Show its values as a table")));
  }
}

const router = new Router(show);

keys.bind("g g", "Go to the graph", () => shell.visit(""), { group: "Go" });
keys.bind("g d", "Go to the dashboard", () => shell.visit("dash"), { group: "Go" });
keys.bind("g v", "Go to the table of values", () => shell.visit("values"), { group: "Go" });
keys.bind("g c", "Go to the clients", () => router.go("/clients"), { group: "Go" });
store.listen("paused", (paused) => (frame.paused = paused));
keys.bind("p", "Pause or resume the display", () => {
  const paused = !store.get("paused");
  store.set("paused", paused);
  announce(paused ? "Display paused, data keeps arriving" : "Display resumed");
});
keys.bind("h", "Look at the past, or back at now", () => lookBack(), { group: "Graph" });
keys.bind("?", "This list of keys", () => shell.help());

// A server that wants a token closes; a view that did not load is tried again with the next connection.
let wasSignedOut = false;
store.listen("state", (state) => {
  if (isSignedOut(state) === wasSignedOut && !(state.name === "live" && current?.isMissing)) return;
  wasSignedOut = isSignedOut(state);
  router.follow();
});
router.follow();
