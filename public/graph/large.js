// A graph that is too large for one picture: its names in folds by their beginnings. A node that is
// chosen is drawn with what stands around it.
import { h, setText } from "/lib/dom.js";
import { formatNumber } from "/lib/format.js";
import { groupOf } from "./groups.js";
import { plain } from "./shapes.js";

/** Names read at once and at all, and shown in one fold. */
const page = 1000, most = 50_000, shown = 200;

class Large {
  names = [];
  element = h("section", { class: "large", "aria-label": "Names of the graph" });
  #page; #note = h("p", { class: "quiet-text", role: "status" }, "Reading the names…"); #list = h("ul");

  constructor(page) {
    this.#page = page;
    this.element.append(h("p", {}, "This graph is too large to be drawn at once. Choose a node, or find one by its name: ",
      "it is drawn with what it is computed from, and what is computed from it."), this.#note, this.#list);
    page.stage.append(this.element);
    this.#read();
  }

  async #read() {
    const { graph, context: { signal } } = this.#page;
    try {
      for (let next = ""; this.names.length < most;) {
        const query = new URLSearchParams({ limit: page, ...(next && { next }) });
        const answer = await fetch(`/v1/graphs/${encodeURIComponent(graph)}/nodes?${query}`, { signal });
        if (!answer.ok) throw new Error(String(answer.status));
        const body = await answer.json();
        this.names.push(...body.nodes.map(({ name }) => name));
        if (!(next = body.next)) break;
      }
    } catch (error) {
      if (error.name !== "AbortError") setText(this.#note, "The names cannot be read: the server does not answer");
      return;
    }
    const { length } = this.names;
    setText(this.#note, length < most ? `${formatNumber(length)} nodes` : `The first ${formatNumber(length)} nodes`);
    this.#list.replaceChildren(...this.#rows(this.names.map((name) => ({ name })), 1));
  }

  /** Draws what stands around the chosen node, or lists all names. */
  look(asked) {
    const page = this.#page, { model, view } = page;
    // A client or a step of what is drawn is only selected.
    if (asked === page.around || (asked && !model.nodes.has(`n:${asked}`) && page.find(asked))) return;
    page.around = asked;
    page.empty.hidden = true;
    page.isReady = false;
    view.tidy();
    page.observe();
    if (asked !== null) return;
    page.selected = page.focused = null;
    page.inspect(null);
    view.apply(model.apply({ op: "topo", nodes: [], edges: [], listeners: [] }), 0);
    page.parts.attention?.refresh();
    page.words();
  }

  /** Names alone, and folds for names that begin alike. */
  #rows(entries, depth) {
    const folds = [...Map.groupBy(entries, (entry) => groupOf(entry, depth))];
    if (entries.length <= 30 || depth > 6) return this.#leaves(entries);
    if (folds.length === 1) return this.#rows(entries, depth + 1);
    return folds.flatMap(([label, all]) => (all.length === 1 ? this.#leaves(all) : [this.#fold(label, all, depth)]));
  }

  #leaves(entries) {
    const more = entries.length - shown;
    return [...entries.slice(0, shown).map(({ name }) => h("li", {}, h("button", { class: "link", type: "button",
      onclick: () => this.#page.select(`n:${name}`) }, plain(name, 120)))),
    more > 0 && h("li", { class: "quiet-text" }, `and ${formatNumber(more)} more: find them by name`)].filter(Boolean);
  }

  #fold(label, all, depth) {
    const list = h("ul"), fold = h("details", { ontoggle: () => {
      if (fold.open && !list.children.length) list.append(...this.#rows(all, depth + 1));
    } }, h("summary", {}, plain(label, 80), " ", h("span", { class: "quiet-text" }, `${formatNumber(all.length)} nodes`)), list);
    return h("li", {}, fold);
  }
}

export const attach = (page) => new Large(page);
