// The views at the lower edge of a small screen.
import { arrange, graphPath, h, href, icon, style } from "/lib/dom.js";

style("/ui/bottom.css");

const icons = {
  graph: "M3 4.5h3v3H3zM10 2.5h3v3h-3zM10 10.5h3v3h-3zM6 6h2v-2h2M8 6v6h2",
  dash: "M2.5 2.5h5v6h-5zM10 2.5h3.5v3H10zM10 8h3.5v5.5H10zM2.5 11h5v2.5h-5z",
  values: "M2.5 3.5h11M2.5 8h11M2.5 12.5h11",
  clients: "M5.5 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM2 13c0-2 1.5-3.5 3.5-3.5S9 11 9 13M11 8a1.5 1.5 0 1 0 0-3M11 10c1.8 0 3 1.2 3 3",
};

/** For the present route, and the graph shown last. */
export function bottom({ name }, graph, tabs) {
  const element = document.getElementById("bottom");
  const entry = (view, to, label) => h("a", {
    href: href(to), "aria-current": (view === name || (view === "graph" && name === "graphs")) && "page",
  }, icon(icons[view], 20), label);
  element.hidden = document.documentElement.hasAttribute("data-kiosk");
  arrange(element, [...tabs.map(([view, label, own]) => entry(own, graph ? graphPath(graph, view) : "/", label)), entry("clients", "/clients", "Clients")]);
}
