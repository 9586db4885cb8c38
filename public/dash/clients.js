// Who listens to this graph; looking adds nobody.
import { h, setText } from "/lib/dom.js";
import { formatAge } from "/lib/format.js";

export const clients = (widget, { page, observed, signal }) => {
  const list = h("ul", { class: "clients" }), note = h("p", { class: "dim small" }), element = h("div", { class: "scroll fill", tabindex: 0, role: "group" }, note, list);
  const items = new Map();
  const item = page.frame.item(element, () => {
    const all = observed.listeners;
    if (!all) return void setText(note, observed.refused ? `Who listens cannot be shown: ${observed.refused}.` : "");
    setText(note, all.size ? "" : "Nobody listens.");
    for (const [l, { row }] of items) if (!all.has(l)) { row.remove(); items.delete(l); }
    for (const [l, each] of all) {
      if (!items.has(l)) {
        const what = h("span", { class: "dim small" }), row = h("li", {}, h("i", { class: "pill", "aria-hidden": "true" }), h("span", {}, each.client || l, each.you ? h("span", { class: "tag" }, "you") : null), what);
        items.set(l, { row, what });
        list.append(row);
      }
      const count = each.on?.length ?? 0;
      setText(items.get(l).what, `${each.transport ?? ""} · ${count} ${count === 1 ? "node" : "nodes"} · here ${formatAge(Date.now() - each.since).replace(" ago", "")}`);
    }
  });
  observed.addEventListener("change", () => item.mark(), { signal });
  page.frame.tick(() => item.mark(), signal);
  return {
    element, show() {}, mark: () => item.mark(), close: () => item.close(),
    table: () => ({ head: ["client", "transport", "nodes"], rows: [...(observed.listeners?.values() ?? [])].map((each) => [each.client ?? each.l, each.transport, each.on?.length]) }),
  };
};
