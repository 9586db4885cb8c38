// The members of a family: searched and shown a page at a time, as they are at the moment. Looking
// keeps none of them alive.
import { h, setAttribute, setText } from "/lib/dom.js";
import { formatEntry } from "/lib/format.js";
import { globOf } from "./glob.js";
import { plain } from "./shapes.js";

/** How many are shown at once, and how often the server is asked again (ms). */
const most = 100, every = 1000;
/**
 * How many pages of the server are read for one of ours: it may have looked at many names and found
 * few.
 */
const patience = 4;

export class Members {
  #o; #rows = []; #timer; #isClosed = false; #asked = 0;
  /** Where this page and those before it begin, and where the next one does. */
  #starts = [""]; #next = "";
  #find = h("input", { type: "search", placeholder: "Find a member", "aria-label": "Find a member", autocomplete: "off",
    spellcheck: "false", oninput: () => this.#go([""]) });
  #list = h("ul", { class: "member-list" });
  #note = h("p", { class: "quiet-text", role: "status" }, "");
  #back = h("button", { type: "button", class: "quiet", onclick: () => this.#go(this.#starts.slice(0, -1)) },
    "Earlier");
  #on = h("button", { type: "button", class: "quiet", onclick: () => this.#go([...this.#starts, this.#next]) },
    "Later");

  /** `o`: `{graph, family, onChoose(name)}`. */
  constructor(o) {
    this.#o = o;
    this.element = h("div", {}, this.#find, this.#list,
      h("div", { class: "member-pages" }, this.#back, this.#note, this.#on));
    this.#go([""]);
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #go(starts) {
    this.#starts = starts;
    this.#list.scrollTop = 0;
    this.#look();
  }

  /** Members from a place on; `next` is empty at the end. */
  async #read() {
    const { graph, family: { name } } = this.#o, match = globOf(name, this.#find.value.trim()), found = [];
    let next = this.#starts.at(-1);
    for (let i = 0; i < patience && found.length < most; i++) {
      const query = new URLSearchParams({ match, limit: most - found.length, ...(next && { next }) });
      const answer = await fetch(`/v1/graphs/${encodeURIComponent(graph)}/nodes?${query}`);
      if (!answer.ok) throw new Error(String(answer.status));
      const page = await answer.json();
      // A glob may mean members of other families too.
      found.push(...page.nodes.filter(({ family }) => family === name));
      next = page.next ?? "";
      if (!next) break;
    }
    return { found, next };
  }

  async #look() {
    clearTimeout(this.#timer);
    const asked = ++this.#asked;
    try {
      // A page that is not on screen asks for nothing.
      if (!document.hidden || !this.#rows.length) {
        const page = await this.#read();
        if (this.#isClosed || asked !== this.#asked) return;
        this.#show(page);
      }
    } catch {
      if (asked === this.#asked) setText(this.#note, "The server does not answer");
    }
    if (!this.#isClosed && asked === this.#asked) this.#timer = setTimeout(() => this.#look(), every);
  }

  #show({ found, next }) {
    const { family, onChoose } = this.#o, before = (this.#starts.length - 1) * most;
    this.#next = next;
    while (this.#rows.length > found.length) this.#rows.pop().row.remove();
    found.forEach((node, i) => {
      const known = this.#rows[i] ??= this.#row(onChoose);
      known.node = node.name;
      setText(known.name, plain(node.name, 120));
      setText(known.value, plain(formatEntry(node, family.unit, family.words), 60));
      known.value.classList.toggle("fail", Boolean(node.fail));
    });
    setText(this.#note, found.length ? `${before + 1} to ${before + found.length}` : this.#find.value.trim()
      ? "None has this in its name" : "There are none at the moment");
    setAttribute(this.#back, "disabled", this.#starts.length < 2);
    setAttribute(this.#on, "disabled", !next);
  }

  #row(onChoose) {
    const part = { name: h("span", {}, ""), value: h("span", { class: "value" }, "") };
    part.row = h("li", {}, h("button", { type: "button", onclick: () => onChoose(part.node) }, part.name, part.value));
    this.#list.append(part.row);
    return part;
  }
}
