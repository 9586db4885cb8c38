// The page: the client, what views share, and the view that the address names.
import { connect } from "/client.js";
import { Announcer, Frame, Keys, Router, Store, graphPath, h, href, load, style, styled } from "/lib/dom.js";
import { isSignedOut } from "/ui/connection.js";
import { Shell } from "/ui/shell.js";

const views = {
  home: "/views/home.js",
  graph: "/graph/page.js",
  dash: "/dash/page.js",
  values: "/views/values.js",
  clients: "/views/clients.js",
  files: "/views/files.js",
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

// Whether there is a session. Scripts cannot read its cookie.
try { store.set("session", localStorage.getItem("sluice.session") !== null); } catch { store.set("session", false); }
store.listen("session", (session) => {
  try { session ? localStorage.setItem("sluice.session", "yes") : localStorage.removeItem("sluice.session");
  } catch { /* for now only */ }
});

// `state` in the store is the client's state, with `late` (the server is silent), `restarted` (what
// the page had seen is not in the history any more) and `lost` (values were missed for good).
const meters = { trips: null, messages: 0, updates: 0, bytes: 0 }, cursors = new Map();
let late = false, restarted = false, lost = false, asked = 0, pinged = 0;

const client = connect("/v1/ws", {
  client: "dashboard",
  onState(state) {
    late = restarted = lost = false;
    // A page that is still connecting waits for an answer, too.
    asked = state.name === "live" || state.name === "closed" || state.at ? 0 : performance.now();
    tell(state);
  },
  onGap: (gap) => { if (gap.lost && !lost) tell(client.state, (lost = true)); },
  onMessage({ op, d, val, resumed }, length) {
    meters.messages++;
    meters.bytes += length;
    if (op === "upd") for (const { n = 1 } of d) meters.updates += n;
    meters.updates += val?.length ?? 0;
    asked = 0;
    if (late) tell(client.state, (late = false));
    if (op === "snap" && resumed === false) beganAnew();
  },
});

function tell(state) {
  store.set("state", Object.freeze({ ...state, late, restarted, lost }));
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
  // The first trip includes the loading of the page.
  meters.trips = meters.trips ? [...meters.trips.slice(-4), trip] : [];
});

function beganAnew() {
  if (!restarted && client.state.gap !== undefined) tell(client.state, (restarted = true));
}

store.listen("graphs", (graphs = []) => {
  // A start that continues has a new epoch, too.
  const isOther = graphs.some(({ graph, epoch, rev }) => {
    const former = cursors.get(graph);
    return former && former.epoch !== epoch && former.rev > rev;
  });
  for (const { graph, epoch, rev } of graphs) cursors.set(graph, { epoch, rev });
  if (isOther) beganAnew();
});
tell(client.state);

const dialogs = Object.fromEntries(["open", "confirm", "menu"].map((name) => [name, async (...given) => {
  const module = await load("/ui/dialogs.js");
  await styled();
  return module[name](...given);
}]));

// Fetched before it is needed, because the server may be gone then.
const present = () => store.set("present", true);
for (const event of ["pointermove", "pointerdown", "keydown"]) addEventListener(event, present, { once: true });
setTimeout(present, 3000);
store.listen("present", (isPresent) => isPresent
  && load("/ui/dialogs.js").catch(() => { /* asked for again when it is needed */ }));

const shell = new Shell({ client, meters, store, frame, keys, dialogs, announce, go: (...a) => router.go(...a) },
  lookBack);

let current = null, past = null;

async function lookBack() {
  if (past) return past.close();
  const { path, route: { params: { graph } } } = current;
  if (!graph) return;
  try {
    const module = await load("/ui/past.js");
    if (past || current.path !== path || current.graph !== graph) return;
    const page = { client, store, frame, keys, dialogs, announce, style, href, main, slot: shell.slot,
      context: document.getElementById("context"), go: (...a) => router.go(...a) };
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
  shell.title(route.params.graph ?? "Sluice");
  if (!path) {
    element.replaceWith(sentence("There is nothing here", h("p", {}, "This address names no view. "),
      h("a", { href: href("/") }, "Home")));
    return;
  }
  const context = {
    route, client, store, frame, keys, dialogs, announce, style, href, signal: ending.signal, header: shell.slot,
    go: (to, options) => router.go(to, options),
    title: (text) => { if (current === mine) shell.title(text); },
  };
  try {
    const { mount } = await load(path);
    await styled();
    if (current !== mine) return;
    const view = await mount(element, context);
    // Another view may have been opened in the meantime.
    if (current === mine) {
      mine.view = view;
      past?.follow(path, route);
    }
    else view?.unmount?.();
  } catch (error) {
    if (current !== mine) return;
    ending.abort();
    mine.isMissing = true;
    main.replaceChildren(sentence("This view cannot be shown",
      h("p", {}, `${path}: ${error.message}. Reload the page to try again.`),
      route.params.graph && h("a", { href: href(graphPath(route.params.graph, "values")) },
        "Show its values as a table")));
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

// A server that wants a token closes; a view that did not load is tried again with the next
// connection.
let wasSignedOut = false;
store.listen("state", (state) => {
  if (isSignedOut(state) === wasSignedOut && !(state.name === "live" && current?.isMissing)) return;
  wasSignedOut = isSignedOut(state);
  router.follow();
});
router.follow();
