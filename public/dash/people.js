// Who is here: people on seats that the server clears with their connection.
import { h, setText } from "/lib/dom.js";

const stored = "sluice.name";

export const people = (widget, { feeds, page, graph, signal }) => {
  let seat = null, name = "";
  try { name = localStorage.getItem(stored) ?? ""; } catch { /* nothing is kept */ }
  const list = h("ul", { class: "people" }), problem = h("p", { class: "small bad", role: "status" });
  const field = h("input", { maxlength: 40, placeholder: "Your name", "aria-label": "Your name", value: name });
  const button = h("button", { type: "submit" }, "Join");
  const form = h("form", { class: "people-join", onsubmit: (event) => { event.preventDefault(); seat ? leave() : join(); } }, field, button);
  const nobody = h("p", { class: "dim small" }, "Nobody has given a name yet.");
  const element = h("div", { class: "people-box" }, nobody, list, form, problem);
  const taken = ({ entry }) => typeof entry?.v === "string";

  /** Takes the first seat that is empty; whoever was faster has it, and the next one is tried. */
  async function join() {
    name = field.value.trim();
    if (!name) return void field.focus();
    try { localStorage.setItem(stored, name); } catch { /* nothing is kept */ }
    for (const feed of feeds) {
      if (taken(feed)) continue;
      try {
        await page.client.set(`${graph}/${feed.node}`, name, { presence: true, if: { [feed.node]: { empty: true } } });
        seat = feed.node;
        problem.textContent = "";
        return void item.mark();
      } catch (error) {
        if (error.code !== "conflict") return void (problem.textContent = error.message);
      }
    }
    problem.textContent = "All seats are taken.";
  }

  function leave() {
    const node = seat;
    seat = null;
    page.client.set(graph, {}, { clear: [node] }).catch(() => {});
    item.mark();
  }

  const item = page.frame.item(element, () => {
    const here = feeds.filter(taken);
    while (list.childElementCount < here.length) list.append(h("li", {}, h("i", { class: "person", "aria-hidden": "true" }), h("span")));
    while (list.childElementCount > Math.max(here.length, 0)) list.lastChild.remove();
    here.forEach(({ entry, node }, i) => {
      const [mark, text] = list.children[i].children;
      mark.dataset.series = feeds.findIndex((feed) => feed.node === node) % 6 + 1;
      setText(mark, entry.v.trim().slice(0, 1).toUpperCase());
      setText(text, node === seat ? `${entry.v} (you)` : entry.v);
    });
    nobody.hidden = here.length > 0;
    setText(button, seat ? "Leave" : "Join");
    field.hidden = !!seat;
  });

  // The seat went with the connection.
  let wasLive = true;
  page.store.listen("state", ({ name: state }) => {
    if (state === "live" && !wasLive && seat) {
      seat = null;
      setTimeout(() => !signal.aborted && join(), 300);
    }
    wasLive = state === "live";
    button.disabled = !wasLive;
  }, signal);
  return {
    element, show: () => item.mark(), mark: () => item.mark(),
    close: () => { item.close(); if (seat) leave(); },
    table: () => ({ head: ["seat", "name"], rows: feeds.map(({ node, entry }) => [node, entry?.v ?? null]) }),
  };
};
