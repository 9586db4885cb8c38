// The list of graphs, their health, and what to do if there are none yet.
import { arrange, graphPath, h, href, setText, severityMark } from "/lib/dom.js";
import { plural } from "/lib/format.js";
import { alarmWords, healthOf } from "/lib/words.js";

const example = `graph: house
nodes:
  indoor_c: { set: number, initial: 20, unit: °C }
  indoor_f: { from: indoor_c, pipe: [ { map: "round(value * 9 / 5 + 32, 1)" } ] }`;

/** The most alarms named on one card. */
const named = 4;

/** The health of a graph, with its alarms by name. */
function healthOn(each) {
  const { level, words } = healthOf(each), { graph, alarms = [], stale = [], missed = [] } = each;
  const link = (node) => href(`${graphPath(graph)}?node=${encodeURIComponent(node)}`);
  const lines = [
    ...alarms.map((alarm) => h("li", {}, severityMark(alarm.severity, h("a", { href: link(alarm.node) },
      alarmWords(alarm))))),
    ...stale.map((node) => h("li", {}, severityMark("stale", h("a", { href: link(node) }, `Out of date: ${node}`)))),
    ...missed.map((node) => h("li", {}, severityMark("stale", `Removed, but still set: ${node}`))),
  ];
  const more = lines.length - named;
  return h("div", { class: "graph-health", dataset: { level } }, lines.length ? null : severityMark(level, words),
    h("ul", {}, lines.slice(0, named)), more > 0
      && h("p", { class: "small dim" }, `${words}: ${more} more in the graph`));
}

const nothing = () => h("div", { class: "notice" },
  h("h1", {}, "No graphs yet"),
  h("p", {}, "A graph is one file in the server's folder of graphs. Save this as ",
    h("code", {}, "config/graphs/house.yaml"), " and start the server again:"),
  h("pre", { tabindex: 0 }, example),
  h("p", {}, "Then set a value, and watch it here:"),
  h("pre", { tabindex: 0 }, `curl -d 21.5 ${location.origin}/v1/graphs/house/nodes/indoor_c`));

export function mount(element, { store, signal, style }) {
  element.classList.add("in-views");
  style("/views/views.css");
  const cards = new Map();
  const list = h("ul", { class: "graphs" });
  const page = h("div", { class: "page" }, h("h1", {}, "Graphs"), list,
    h("p", { class: "small dim" }, h("a", { href: href("/files") }, "Graph files"), ", ",
      h("a", { href: href("/about") }, "about this server")));
  element.append(page);

  const card = ({ graph }) => {
    const title = h("span", { class: "graph-title" }), health = h("div"), counts = h("span", { class: "num" });
    const open = (view, label) => h("a", { class: "small", href: href(graphPath(graph, view)) }, label);
    const item = h("li", { class: "card" },
      h("a", { class: "graph-main", href: href(graphPath(graph)) }, title, h("code", { class: "dim" }, graph)),
      health,
      h("span", { class: "graph-foot small dim" }, counts,
        h("span", { class: "links" }, open("dash", "Dashboard"), open("values", "Values"))));
    return { item, show: (each) => {
      setText(title, each.title || graph);
      setText(counts, `${plural(each.nodes, "node")}, ${plural(each.listeners, "subscription")}`);
      arrange(health, [healthOn(each)]);
      item.dataset.level = healthOf(each).level;
    } };
  };

  store.listen("graphs", (graphs) => {
    if (!graphs) {
      if (!list.firstChild) list.append(...[1, 2,
        3].map(() => h("li", { class: "card" }, h("span", { class: "skeleton" }))));
      return;
    }
    if (!graphs.length) return element.replaceChildren(nothing());
    if (!page.isConnected) element.replaceChildren(page);
    const known = new Set(graphs.map(({ graph }) => graph));
    for (const [graph] of cards) if (!known.has(graph)) cards.delete(graph);
    for (const each of graphs) {
      if (!cards.has(each.graph)) cards.set(each.graph, card(each));
      cards.get(each.graph).show(each);
    }
    arrange(list, graphs.map(({ graph }) => cards.get(graph).item));
  }, signal);
}
