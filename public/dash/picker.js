// Choosing nodes by typing: names, titles, families and patterns.
import { h } from "/lib/dom.js";

const shownMost = 40, pattern = /^(?!(.*\*){4})[A-Za-z0-9_*?][A-Za-z0-9_.*?-]{0,127}$/;
let count = 0;

const regular = (glob) => new RegExp(`^${glob.replace(/[.-]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")}$`);

/** Those whose name or title has each of the words, names that begin with the text first. */
export function found(all, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ name, title = "" }) => {
    const both = `${name} ${title}`.toLowerCase();
    if (!words.every((word) => both.includes(word))) return 0;
    const begins = [name, title].some((text) => text.toLowerCase().startsWith(words[0]));
    return words.length && begins ? 2 : 1;
  };
  return all.map((each) => [rank(each), each]).filter(([r]) => r).sort((a, b) => b[0] - a[0]).map(([, each]) => each);
}

export class Picker {
  #all; #isMany; #most; #names = []; #active = -1; #offered = [];
  #id = `picker-${++count}`;
  #chips = h("ul", { class: "chips" });
  #list = h("ul", {
    class: "picker-list", role: "listbox", "aria-label": "Nodes that match", id: `${this.#id}-list`, hidden: true,
  });
  input = h("input", {
    id: this.#id, role: "combobox", autocomplete: "off", spellcheck: "false", "aria-expanded": "false",
    "aria-controls": `${this.#id}-list`, "aria-autocomplete": "list",
  });

  /**
   * `all`: `[{ name, title, hint }]`; `names`: those chosen; `isMany`: up to `most`, patterns among
   * them.
   */
  constructor({ all, names = [], isMany = false, most = 1, onchange = () => {} }) {
    this.#all = all;
    this.#isMany = isMany;
    this.#most = most;
    this.onchange = onchange;
    this.input.placeholder = isMany ? "Type a name or a pattern such as room.*" : "Type a name or a title";
    this.element = h("div", { class: "picker" }, isMany && this.#chips, this.input, this.#list);
    this.input.addEventListener("input", () => this.#offer());
    // Where a node is named already, the list would only cover the rest of the form.
    this.input.addEventListener("focus", () => this.#isExact || this.#offer());
    this.input.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("focusout", ({ relatedTarget }) => {
      if (this.element.contains(relatedTarget)) return;
      this.#take();
      this.#close();
    });
    for (const name of names) this.#choose(name, false);
  }

  /** What is chosen, with what was typed and is a name or a pattern. */
  get names() {
    const typed = this.input.value.trim(), isName = pattern.test(typed);
    if (!this.#isMany) return isName ? [typed] : [];
    return [...new Set([...this.#names, ...(isName ? [typed] : [])])].slice(0, this.#most);
  }

  /** What was typed in full becomes a choice when the field is left. */
  #take() {
    const typed = this.input.value.trim();
    const isPattern = /[*?]/.test(typed) && pattern.test(typed);
    if (this.#isMany && (isPattern || this.#all.some(({ name }) => name === typed))) this.#choose(typed);
  }

  #choose(name, isTold = true) {
    if (!this.#isMany) this.input.value = name;
    else {
      if (!this.#names.includes(name) && this.#names.length < this.#most) this.#names.push(name);
      this.input.value = "";
      this.#chips.replaceChildren(...this.#names.map((each) => this.#chip(each)));
    }
    this.#close();
    if (isTold) this.onchange();
  }

  #chip(name) {
    const drop = { type: "button", class: "link", "aria-label": `Leave out ${name}`, onclick: () => this.#drop(name) };
    return h("li", { class: "chip mono" }, name, h("button", drop, "×"));
  }

  #drop(name) {
    this.#names = this.#names.filter((each) => each !== name);
    const rest = this.#names;
    this.#names = [];
    this.#chips.replaceChildren();
    for (const each of rest) this.#choose(each, false);
    this.input.focus();
    this.onchange();
  }

  get #isExact() { return !this.#isMany && this.#all.some(({ name }) => name === this.input.value.trim()); }

  /** The nodes that match what was typed; `isAll`: all of them. */
  #offer(isAll = false) {
    const text = this.input.value.trim();
    const rows = found(this.#all, isAll ? "" : text).filter(({ name }) => !this.#names.includes(name));
    if (rows.length === 1 && this.#isExact && !isAll) return this.#close();
    if (this.#isMany && /[*?]/.test(text) && pattern.test(text)) {
      const matches = this.#all.filter(({ name }) => regular(text).test(name)).length;
      rows.unshift({ name: text, hint: `a pattern, ${matches} now` });
    }
    this.#offered = rows.slice(0, shownMost);
    const own = this.#offered.findIndex(({ name }) => name === text);
    this.#active = text && this.#offered.length ? Math.max(0, own) : -1;
    const more = rows.length - this.#offered.length;
    this.#list.replaceChildren(...this.#offered.map(({ name, title, hint }, i) => h("li", {
      role: "option", id: `${this.#id}-${i}`,
      onpointerdown: (event) => { event.preventDefault(); this.#choose(name); },
    }, h("span", { class: "mono" }, name), h("span", { class: "dim small" }, title ?? hint))),
    ...(more > 0 ? [h("li", { class: "dim small" }, `and ${more} more: type to find them`)] : []),
    ...(rows.length ? [] : [h("li", { class: "dim small" }, "No node has such a name.")]));
    this.#list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.#mark();
  }

  #mark() {
    [...this.#list.children].forEach((row, i) => row.setAttribute("aria-selected", i === this.#active));
    if (this.#active < 0) return this.input.removeAttribute("aria-activedescendant");
    this.input.setAttribute("aria-activedescendant", `${this.#id}-${this.#active}`);
    this.#list.children[this.#active]?.scrollIntoView({ block: "nearest" });
  }

  #close() {
    this.#list.hidden = true;
    this.#active = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    const { key } = event, isOpen = !this.#list.hidden;
    if (key === "ArrowDown" || key === "ArrowUp") {
      if (!isOpen) this.#offer(this.#isExact);
      const size = this.#offered.length;
      if (size) this.#active = (this.#active + (key === "ArrowDown" ? 1 : -1) + size) % size;
      this.#mark();
      event.preventDefault();
    } else if (key === "Enter" && isOpen && this.#active >= 0) {
      const { name } = this.#offered[this.#active], isSame = !this.#isMany && this.input.value === name;
      this.#choose(name);
      // Enter in a field that names its node already is for the dialog.
      if (!isSame) event.preventDefault();
    } else if (key === "Escape" && isOpen) {
      this.#close();
      event.preventDefault();
      event.stopPropagation();
    } else if (key === "Backspace" && this.#isMany && !this.input.value && this.#names.length) {
      this.#drop(this.#names.at(-1));
    }
  }
}

