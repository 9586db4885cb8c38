// Finding a node by a part of its name, label or client.
import { h, setAttribute } from "/lib/dom.js";
import { wordOf } from "/lib/words.js";
import { plain, titleOf } from "./shapes.js";

const most = 40;

/**
 * Entries that match: those that begin with the text first, then those that contain it; `names` are
 * those of nodes that the model does not have. Pure.
 */
export function find(model, text, names = []) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const found = [], others = names.filter((name) => !model.nodes.has(`n:${name}`)).map((name) => ({ id: `n:${name}`, name }));
  for (const entry of [...model.nodes.values(), ...model.listeners.values(), ...others]) {
    const fields = entry.kind === "listener" ? [entry.client, entry.id, entry.you ? "you" : null]
      : [entry.name, entry.title, entry.label, entry.of];
    let best = Infinity;
    fields.forEach((field, i) => {
      const at = field ? field.toLowerCase().indexOf(wanted) : -1;
      if (at >= 0) best = Math.min(best, i * 2 + (at > 0 ? 1 : 0));
    });
    if (best < Infinity) found.push([best, entry]);
  }
  return found.sort((a, b) => a[0] - b[0]).slice(0, most).map(([, entry]) => entry);
}

export class Search {
  #model; #names; #onChoose; #found = []; #at = 0;

  /** Takes a field over that is on the page and may have the focus. */
  constructor({ model, signal, field, names, onChoose }) {
    this.#model = model;
    this.#names = names;
    this.#onChoose = onChoose;
    this.list = h("ul", { role: "listbox", id: "graph-found", "aria-label": "Found nodes",
      hidden: true });
    this.field = field;
    const roles = { role: "combobox", "aria-controls": "graph-found", "aria-expanded": "false",
      "aria-autocomplete": "list" };
    for (const [name, value] of Object.entries(roles)) field.setAttribute(name, value);
    field.after(this.list);
    const on = (name, body) => this.field.addEventListener(name, body, { signal });
    on("input", () => this.#look());
    on("focus", () => this.#look());
    on("blur", () => this.#show(false));
    on("keydown", (event) => this.#key(event));
    // Before the field loses the focus.
    this.list.addEventListener("pointerdown", (event) => {
      const item = event.target.closest("[role=option]");
      if (item) { event.preventDefault(); this.#choose(Number(item.dataset.at)); }
    }, { signal });
    if (document.activeElement === field) this.#look();
  }

  #show(open) {
    this.list.hidden = !open;
    setAttribute(this.field, "aria-expanded", String(open));
  }

  #look() {
    this.#found = find(this.#model, this.field.value, this.#names());
    this.#at = 0;
    const text = this.field.value.trim();
    this.list.replaceChildren(...(this.#found.length || !text ? this.#found.map((entry, i) =>
      h("li", { role: "option", id: `graph-found-${i}`, dataset: { at: i }, "aria-selected": "false" },
        h("span", {}, plain(titleOf(entry), 80)), h("span", { class: "dim" }, entry.kind && wordOf(entry))))
      : [h("li", { class: "dim" }, "Nothing has this in its name")]));
    this.#show(text !== "");
    this.#mark();
  }

  #mark() {
    [...this.list.children].forEach((item, i) => item.dataset.at
      && item.setAttribute("aria-selected", String(i === this.#at)));
    this.list.children[this.#at]?.scrollIntoView({ block: "nearest" });
    setAttribute(this.field, "aria-activedescendant", this.#found.length ? `graph-found-${this.#at}` : null);
  }

  /** Chooses the best that was found. */
  first() {
    this.#look();
    this.#choose(0);
  }

  #choose(at) {
    const entry = this.#found[at];
    if (!entry) return;
    this.field.value = "";
    this.#show(false);
    this.field.blur();
    this.#onChoose(entry.id);
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.#found.length) {
      this.#at = (this.#at + step + this.#found.length) % this.#found.length;
      this.#mark();
    } else if (event.key === "Enter") {
      this.#choose(this.#at);
    } else if (event.key === "Escape") {
      this.field.value = "";
      this.#show(false);
      this.field.blur();
    } else {
      return;
    }
    event.preventDefault();
  }
}

export const attach = (page) => new Search({
  model: page.model, signal: page.context.signal, field: page.field,
    names: () => page.parts.large?.names,
    onChoose: (id) => page.select(id, { reveal: true, focus: true }),
});
