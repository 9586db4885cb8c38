// The page: one client, one store, one animation loop, one view.
import { connect } from "/client.js";
import { h, load, style, styled } from "/lib/dom.js";
import { Announcer, Frame, Keys, Router, Store, graphPath, href } from "/lib/page.js";
import { Shell, isSignedOut } from "/ui/shell.js";

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
const meters = { rtt: null, messages: 0, updates: 0, bytes: 0 }, epochs = new Map();
let late = false, restarted = false, asked = 0, pinged = 0, trips = null;

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
  trips = trips ? [...trips.slice(-4), trip] : [];
  if (trips.length) meters.rtt = [...trips].sort((a, b) => a - b)[trips.length >> 1];
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

// Somebody is there, or the page has stood for a while: what acts need is fetched, so that they act at once, and when the server is gone.
const present = () => store.set("present", true);
for (const event of ["pointermove", "pointerdown", "keydown"]) addEventListener(event, present, { once: true });
setTimeout(present, 3000);
store.listen("present", (isPresent) => isPresent && load("/ui/dialogs.js").catch(() => { /* asked for again when it is needed */ }));

const shell = new Shell({ client, meters, store, frame, keys, dialogs, announce, go: (...a) => router.go(...a) });

let current = null;

const sentence = (title, ...rest) => h("div", { class: "notice" }, h("h1", {}, title), rest);

async function show(route) {
  const path = isSignedOut(store.get("state")) ? "/views/sign-in.js" : views[route.name];
  shell.route(route);
  if (current?.path === path && current.view?.update && current.graph === route.params.graph) {
    current.view.update(route);
    return;
  }
  const before = current;
  const ending = new AbortController();
  const mine = (current = { path, graph: route.params.graph, view: null, ending, route });
  before?.ending.abort();
  try { before?.view?.unmount?.(); } catch (error) { reportError(error); }
  shell.slot.replaceChildren();
  const element = h("div", { class: "view" });
  main.replaceChildren(element);
  // Another view begins at its beginning.
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
    if (current === mine) mine.view = view;
    else view?.unmount?.();
  } catch (error) {
    if (current !== mine) return;
    ending.abort();
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
keys.bind("?", "This list of keys", () => shell.help());

// A server that wants a token says so by closing.
let wasSignedOut = false;
store.listen("state", (state) => {
  if (isSignedOut(state) === wasSignedOut) return;
  wasSignedOut = !wasSignedOut;
  router.follow();
});
router.follow();
