// Home: the dashboard of the only graph, or a card for each of several, with alarms first; and what
// to do first where there is none. `/graphs` has the cards also of one.
import { arrange, graphPath, h, href, load } from "/lib/dom.js";
import { healthOf } from "/lib/words.js";
import { list } from "/dash/saved.js";
import { Card } from "/views/graph-card.js";

const example = `graph: house
nodes:
  indoor_c: { set: number, role: sensor, initial: 20, unit: °C, title: Indoors }
  indoor_f: { from: indoor_c, pipe: [ { map: "round(value * 9 / 5 + 32, 1)" } ], unit: °F, title: Indoors }`;

const levels = ["alarm", "warning", "info", "stale", "well"];

const step = (words, text) => h("li", {}, h("p", {}, words), h("pre", { tabindex: 0 }, text));

const nothing = (session) => h("div", { class: "notice first-steps" },
  h("h1", {}, "No graphs yet"),
  h("p", {}, session ? "This server has no graph, or none that your token may see. "
    : "A graph is one file that names values and says how they are computed. ", "A first one takes a minute:"),
  h("ol", {},
    step(["Save this as ", h("code", {}, "house.yaml"), ":"], example),
    step("Give it to the server:", `curl -X PUT --data-binary @house.yaml -H 'Content-Type: application/yaml' \\
  ${location.origin}/v1/graphs/house`),
    step("Set a value. This page shows it, and what follows from it:",
      `curl -d 21.5 ${location.origin}/v1/graphs/house/nodes/indoor_c`)),
  h("p", {}, "To keep it for good, put the file in the server's folder of graphs; ",
    h("a", { href: href("/files") }, "Graph files"), " reads it again."));

export async function mount(element, context) {
  const { go, signal, store, style } = context;
  element.classList.add("in-views");
  await style("/views/views.css");
  if (signal.aborted) return {};
  const cards = new Map(), items = h("ul", { class: "graphs" });
  const fresh = h("button", { type: "button", onclick: async () => (await load("/dash/creating.js")).create(context) },
    "New dashboard");
  const page = h("div", { class: "page" }, h("div", { class: "title-row" }, h("h1", {}, "Home"), fresh), items,
    h("p", { class: "small dim" }, h("a", { href: href("/files") }, "Graph files"), ", ",
      h("a", { href: href("/about") }, "about this server")));
  let { path } = context.route, isKnown = false, dashboards = [];

  /** Only at first: a page that is open does not leave for another one by itself. */
  const opens = (graphs) => !isKnown && path === "/" && graphs?.length === 1;

  const show = (graphs = store.get("graphs")) => {
    if (!graphs) {
      const waiting = () => h("li", { class: "card" }, h("span", { class: "skeleton" }));
      const isLost = /^(reconnecting|offline|closed)$/.test(store.get("state").name);
      return arrange(element, [h("div", { class: "page" }, h("h1", {}, "Home"), isLost
        ? h("p", {}, "The server does not answer. What it has comes here as soon as it does.")
        : h("ul", { class: "graphs" }, [waiting(), waiting(), waiting()]))]);
    }
    if (opens(graphs)) return go(graphPath(graphs[0].graph, "dash"), { replace: true });
    isKnown = true;
    const names = new Set(graphs.map(({ graph }) => graph));
    for (const [graph, card] of cards) {
      if (names.has(graph)) continue;
      card.close();
      cards.delete(graph);
    }
    if (!graphs.length) return arrange(element, [nothing(store.get("session"))]);
    arrange(element, [page]);
    for (const each of graphs) {
      if (!cards.has(each.graph)) cards.set(each.graph, new Card(each.graph, context));
      cards.get(each.graph).show(each, dashboards.filter(({ graph }) => graph === each.graph));
    }
    const rank = (each) => levels.indexOf(healthOf(each).level);
    arrange(items, graphs.toSorted((a, b) => rank(a) - rank(b)).map(({ graph }) => cards.get(graph).element));
  };

  store.listen("graphs", show, signal);
  store.listen("state", () => store.get("graphs") || show(), signal);
  list().then((answer) => {
    ({ dashboards } = answer);
    if (!signal.aborted && isKnown) show();
  });
  return {
    update(route) {
      ({ path } = route);
      isKnown = false;
      show();
    },
    unmount() { for (const card of cards.values()) card.close(); },
  };
}
