// The list of graphs: what there is, how much of it is alive, and what to do where there is nothing yet.
import { arrange, graphPath, h, href, setText } from "/lib/dom.js";
import { plural } from "/lib/format.js";

const example = `graph: house
nodes:
  indoor_c: { set: number, initial: 20, unit: °C }
  indoor_f: { from: indoor_c, pipe: [ { map: "round(value * 9 / 5 + 32, 1)" } ] }`;

const nothing = () => h("div", { class: "notice" },
  h("h1", {}, "No graphs yet"),
  h("p", {}, "A graph is one file in the server's folder of graphs. Save this as ", h("code", {}, "config/graphs/house.yaml"), " and start the server again:"),
  h("pre", { tabindex: 0 }, example),
  h("p", {}, "Then set a value, and watch it here:"),
  h("pre", { tabindex: 0 }, `curl -d 21.5 ${location.origin}/v1/graphs/house/nodes/indoor_c`));

export function mount(element, { store, signal, style }) {
  style("/views/views.css");
  const cards = new Map();
  const list = h("ul", { class: "graphs" });
  const page = h("div", { class: "page" }, h("h1", {}, "Graphs"), list, h("p", { class: "small dim" }, h("a", { href: href("/about") }, "About this server")));
  element.append(page);

  const card = ({ graph }) => {
    const title = h("span", { class: "graph-title" }), counts = h("span", { class: "dim" }), rev = h("span", { class: "num" });
    const open = (view, label) => h("a", { class: "small", href: href(graphPath(graph, view)) }, label);
    const item = h("li", { class: "card" },
      h("a", { class: "graph-main", href: href(graphPath(graph)) }, title, h("code", { class: "dim" }, graph)),
      counts,
      h("span", { class: "graph-foot small dim" }, rev, h("span", { class: "links" }, open("dash", "Dashboard"), open("values", "Values"))));
    return { item, show: (each) => {
      setText(title, each.title || graph);
      setText(counts, `${plural(each.nodes, "named node")}, ${plural(each.listeners, "subscription")}`);
      setText(rev, `revision ${each.rev}`);
    } };
  };

  store.listen("graphs", (graphs) => {
    if (!graphs) {
      if (!list.firstChild) list.append(...[1, 2, 3].map(() => h("li", { class: "card" }, h("span", { class: "skeleton" }))));
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
