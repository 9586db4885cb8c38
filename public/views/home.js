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

/** How often (s) the server is asked for files with mistakes. */
const looked = 5;

/** What is wrong with files of graphs, for those who may know. */
class Mistakes {
  element = h("section", { class: "card mistakes", role: "status", hidden: true });
  #signal; #seen = "[]";

  constructor(signal) { this.#signal = signal; }

  get isEmpty() { return this.element.hidden; }

  /** True where they are others than before. */
  async look() {
    const answer = await fetch("/v1/graphs", { signal: this.#signal }).catch(() => null);
    const { failed = [], graphs = [] } = answer?.ok ? await answer.json() : {}, text = JSON.stringify([failed, graphs.length]);
    if (!answer?.ok || text === this.#seen) return false;
    this.#seen = text;
    this.element.hidden = !failed.length;
    const isServed = (name) => graphs.some(({ graph }) => graph === name);
    this.element.replaceChildren(h("h2", {}, "Files with mistakes"), ...failed.flatMap(({ graph, file, problems }) => [
      h("p", {}, h("code", {}, file.split("/").at(-1)), isServed(graph) ? ": its graph stays as it was." : ": it has no graph yet."),
      h("ul", { class: "plain" }, problems.map(({ line, message, hint }) =>
        h("li", {}, line && `Line ${line}: `, message, hint && h("p", { class: "small dim" }, hint))))]));
    return true;
  }
}

export async function mount(element, context) {
  const { frame, go, signal, store, style } = context;
  element.classList.add("in-views");
  await style("/views/views.css");
  if (signal.aborted) return {};
  const cards = new Map(), items = h("ul", { class: "graphs" });
  const fresh = h("button", { type: "button", onclick: async () => (await load("/dash/creating.js")).create(context) },
    "New dashboard");
  const mistakes = new Mistakes(signal);
  const page = h("div", { class: "page" }, h("div", { class: "title-row" }, h("h1", {}, "Home"), fresh), mistakes.element, items,
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
    if (!graphs.length && mistakes.isEmpty) return arrange(element, [nothing(store.get("session"))]);
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
  let ticks = 0;
  const look = async () => { if (await mistakes.look() && isKnown) show(); };
  frame.tick(() => ++ticks % looked === 0 && look(), signal);
  look();
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
