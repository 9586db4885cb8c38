// The connections that listen to the graph; looking adds none.
import { h, setText } from "/lib/dom.js";
import { formatAge, plural } from "/lib/format.js";
import { resize } from "/widgets/parts.js";

const row = () => h("li", {},
  h("i", { class: "pill", "aria-hidden": "true" }), h("span"), h("span", { class: "tag" }, "you"),
  h("span", { class: "dim small" }));

function make(widget, { observed, signal, mark }) {
  const list = h("ul", { class: "clients" }), note = h("p", { class: "dim small" });
  observed.addEventListener("change", mark, { signal });
  const all = () => [...(observed.listeners?.values() ?? [])];
  return {
    element: h("div", { class: "scroll fill", tabindex: 0, role: "group" }, note, list),
    ages: true,
    draw() {
      const here = all(), { refused } = observed;
      setText(note, refused ? `Who listens cannot be shown: ${refused}.` : here.length ? "" : "Nobody listens.");
      resize(list, here.length, row);
      here.forEach(({ client, l, you, transport = "", on = [], since }, i) => {
        const [, who, tag, what] = list.children[i].children;
        const age = formatAge(Date.now() - since).replace(" ago", "");
        setText(who, client || l);
        tag.hidden = !you;
        setText(what, `${transport} · ${plural(on.length, "node")} · here ${age}`);
      });
    },
    table: () => ({
      head: ["client", "transport", "nodes"],
      rows: all().map(({ client, l, transport = "", on = [] }) => [client ?? l, transport, on.length]),
    }),
  };
}

export default { kind: "clients", label: "Client list", size: [4, 4], options: [], source: "none", make };
