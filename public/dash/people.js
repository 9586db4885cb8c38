// Who is here: people with their names, and the connections that listen.
import { h, load, setText } from "/lib/dom.js";
import { formatAge } from "/lib/format.js";

/** Where the browser keeps the name. */
const stored = "sluice.name";

/** Who is here: people on seats that the server clears with their connection. */
export const people = (widget, { feeds, page, graph, signal }) => {
  let seat = null, coming = null, name = "";
  try { name = localStorage.getItem(stored) ?? ""; } catch { /* nothing is kept */ }
  const list = h("ul", { class: "people" }), problem = h("p", { class: "small bad", role: "status" });
  const field = h("input", { maxlength: 40, placeholder: "Your name", "aria-label": "Your name", value: name });
  const button = h("button", { type: "submit" }, "Join");
  // What takes a seat comes when somebody is near.
  const near = () => (coming ??= load("/dash/seat.js").then(({ Seat }) => (seat = new Seat({ feeds, page, graph, stored, field, problem, signal, change: () => item.mark() })),
    () => { coming = null; problem.textContent = "This page could not load what takes a seat. Try again."; }));
  const form = h("form", { class: "people-join", onpointerover: near, onfocusin: near, onsubmit: (event) => { event.preventDefault(); near().then(() => seat?.toggle()); } }, field, button);
  const nobody = h("p", { class: "dim small" }, "Nobody has given a name yet.");
  const element = h("div", { class: "people-box" }, nobody, list, form, problem);

  const item = page.frame.item(element, () => {
    const here = feeds.filter(({ entry }) => typeof entry?.v === "string");
    while (list.childElementCount < here.length) list.append(h("li", {}, h("i", { class: "person", "aria-hidden": "true" }), h("span")));
    while (list.childElementCount > here.length) list.lastChild.remove();
    here.forEach(({ entry, node }, i) => {
      const [mark, text] = list.children[i].children;
      mark.dataset.series = feeds.findIndex((feed) => feed.node === node) % 6 + 1;
      setText(mark, entry.v.trim().slice(0, 1).toUpperCase());
      setText(text, node === seat?.node ? `${entry.v} (you)` : entry.v);
    });
    nobody.hidden = here.length > 0;
    setText(button, seat?.node ? "Leave" : "Join");
    field.hidden = !!seat?.node;
  });

  page.store.listen("state", ({ name: state }) => (button.disabled = state !== "live"), signal);
  return {
    element, show: () => item.mark(), mark: () => item.mark(),
    close: () => { item.close(); seat?.leave(); },
    table: () => ({ head: ["seat", "name"], rows: feeds.map(({ node, entry }) => [node, entry?.v ?? null]) }),
  };
};

/** Who listens to this graph; looking adds nobody. */
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
