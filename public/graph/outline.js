// The graph as a tree in words: everything the picture has, for keyboards, screen readers and
// phones. Only rows on screen exist.
import { h, load, setText, setAttribute } from "/lib/dom.js";
import { sinkWords, wordOf } from "/lib/words.js";
import { isStep } from "./scene.js";
import { countWords, heldOf, membersOf, plain, titleOf, troubleOf } from "./shapes.js";

/** With more nodes the rows are folds of names that begin alike. */
const crowd = 60;

/**
 * The rows of the tree: from nodes without inputs, along the flow. A node that is reached again is
 * only named there, and shown with everything after it where it was reached first. Steps are shown
 * among `details`; without these clients are a fold at the end. `turned` rows are closed, or open
 * where they are folds, which `groups`, the module of that name, makes. Pure. @returns
 * `[{id, level, under, isReference, hasChildren, isOpen, place, of, label, members}]`
 */
export function rowsOf(model, { asleep = true, details = false, turned = new Set(), only = null,
  leaks = new Set() } = {}, groups = null) {
  const { out } = model.neighbours(), { nodes, listeners } = model;
  const isHidden = (id) => !details && (listeners.has(id) || isStep(nodes.get(id)));
  const may = (id) => (nodes.has(id) ? nodes.get(id).exists || asleep : listeners.has(id)) && (!only || only.has(id));
  const shown = (id) => !isHidden(id) && may(id);
  const ids = [...nodes.keys(), ...listeners.keys()].filter(shown), rows = [], seen = new Set(), fed = new Set();
  /** What comes after a node, through steps that are not shown. */
  const follows = (id, isFed = false) => {
    const found = new Set(), open = new Set([id]);
    for (const at of open) for (const { to, owners, feedback } of out.get(at) ?? []) {
      if ((owners && !details) || (isFed && feedback)) continue;
      if (shown(to)) found.add(to);
      else if (nodes.has(to) && isHidden(to)) open.add(to);
    }
    found.delete(id);
    return [...found];
  };
  const fold = (label, members, level, place, of) => {
    const row = { id: `g ${label}`, label, members: new Set(members), level, place, of, hasChildren: true };
    row.isOpen = turned.has(row.id);
    rows.push(row);
    return row;
  };
  const leaf = (id, level, under, place, of) => {
    seen.add(id);
    rows.push({ id, level, under, place, of, isLeak: leaks.has(id) });
  };
  const walk = (roots) => {
    const open = roots.map((id, i) => ({ id, level: 1, place: i + 1, of: roots.length })).reverse();
    while (open.length) {
      const row = open.pop();
      row.isReference = seen.has(row.id);
      const children = row.isReference ? [] : follows(row.id);
      row.hasChildren = children.length > 0;
      row.isOpen = row.hasChildren && !turned.has(row.id);
      row.isLeak = leaks.has(row.id);
      seen.add(row.id);
      rows.push(row);
      if (row.isOpen) open.push(...children.map((id, i) =>
        ({ id, level: row.level + 1, under: row.id, place: i + 1, of: children.length })).reverse());
      else if (row.hasChildren) hide(children);
    }
  };
  // Nodes below a closed row are not roots of their own.
  const hide = (children) => {
    const open = [...children];
    while (open.length) {
      const id = open.pop();
      if (seen.has(id)) continue;
      seen.add(id);
      open.push(...follows(id));
    }
  };
  if (ids.length > crowd) groups?.inFolds(model, ids, { fold, leaf, crowd });
  else {
    for (const id of ids) for (const to of follows(id, true)) fed.add(to);
    walk(ids.filter((id) => !fed.has(id)));
    for (const id of ids) if (!seen.has(id)) walk([id]); // rings that nothing flows into
  }
  const clients = details ? [] : [...listeners.keys()].filter(may);
  if (clients.length && fold("Clients", clients, 1, 1, 1).isOpen) clients.forEach((id, i) =>
    leaf(id, 2, "g Clients", i + 1, clients.length));
  return rows;
}

/** The tree on the page. */
export class Outline {
  #o; #rows = []; #current = 0; #turned = new Set(); #pool = new Map(); #item; #order = new Map();
  #height = 32; #groups = null;
  #needsRows = true;

  /**
   * `o`: `{model, frame, signal, announce, select(id), narrow, view()}`; `view()` returns
   * `{asleep, details, only, leaks, selected, troubles}`.
   */
  constructor(o) {
    this.#o = o;
    this.#height = o.narrow ? 44 : 32;
    this.space = h("div", { class: "outline-space" });
    this.element = h("div", { class: "outline", role: "tree", tabindex: 0, "aria-label": "Outline of the graph" },
      this.space);
    const listen = (name, body) => this.element.addEventListener(name, body, { signal: o.signal });
    listen("scroll", () => this.#item.mark());
    listen("keydown", (event) => this.#key(event));
    listen("click", (event) => this.#click(event));
    new ResizeObserver(() => this.#item.mark()).observe(this.element);
    this.#item = o.frame.item(this.element, () => this.#draw());
    o.signal.addEventListener("abort", () => this.#item.close(), { once: true });
  }

  /** The node or listener under the cursor. */
  get current() { return this.#rows[this.#current]?.id; }

  setNarrow(narrow) {
    this.#height = narrow ? 44 : 32;
    this.refresh();
  }

  /** The structure has changed. */
  refresh() {
    this.#needsRows = true;
    this.#item.mark();
  }

  /** Values have changed. */
  mark() { this.#item.mark(); }

  /** Goes to a node; opens what hides it. */
  reveal(id) {
    this.#build();
    for (let tries = 0; !this.#order.has(id) && tries < 8; tries++) {
      const fold = this.#rows.find(({ members, isOpen }) => members?.has(id) && !isOpen);
      if (fold) this.#turned.add(fold.id);
      else for (const row of this.#turned) if (!row.startsWith("g ")) this.#turned.delete(row);
      this.#needsRows = true;
      this.#build();
    }
    if (this.#order.has(id)) this.#go(this.#order.get(id));
  }

  #build() {
    if (!this.#needsRows) return;
    this.#needsRows = false;
    const before = this.#rows, here = before[this.#current], { model } = this.#o;
    this.#rows = rowsOf(model, { ...this.#o.view(), turned: this.#turned }, this.#groups);
    if (!this.#groups && model.nodes.size > crowd) load("/graph/groups.js").then((module) => {
      this.#groups = module;
      this.refresh();
    }, () => { /* the next look */ });
    this.#order = new Map();
    this.#rows.forEach((row, i) => { if (!row.isReference) this.#order.set(row.id, i); });
    if (here) this.#keep(here, before);
    this.space.style.height = `${this.#rows.length * this.#height}px`;
    for (const { element } of this.#pool.values()) element.remove();
    this.#pool.clear();
  }

  /**
   * The cursor stays at its row, at the same node elsewhere, or moves to the nearest remaining row
   * above.
   */
  #keep(here, before) {
    const { model, announce } = this.#o, same = (row) => row?.id === here.id && row.under === here.under;
    let at = same(this.#rows[this.#current]) ? this.#current : this.#rows.findIndex(same);
    if (at < 0) at = this.#order.get(here.id) ?? -1;
    if (at < 0) {
      const { level } = here, above = before.slice(0,
        this.#current).findLast((row) => row.level < level && this.#order.has(row.id));
      at = Math.max(0, Math.min(above ? this.#order.get(above.id) : this.#current, this.#rows.length - 1));
      const next = this.#rows[at], entry = next && (model.nodes.get(next.id) ?? model.listeners.get(next.id));
      if (entry
        && this.element.contains(document.activeElement)) announce(`${here.title} is gone. Now at ${titleOf(entry)}`);
    }
    this.#current = at;
  }

  #draw() {
    this.#build();
    const top = this.element.scrollTop, height = this.element.clientHeight;
    const first = Math.max(0, Math.floor(top / this.#height) - 4);
    const last = Math.min(this.#rows.length - 1, Math.ceil((top + height) / this.#height) + 4);
    for (const [at, { element }] of this.#pool) {
      if (at < first || at > last) { element.remove(); this.#pool.delete(at); }
    }
    for (let at = first; at <= last; at++) {
      let drawn = this.#pool.get(at);
      if (!drawn) {
        drawn = this.#make(at);
        this.#pool.set(at, drawn);
        this.space.append(drawn.element);
      }
      this.#fill(drawn, at);
    }
    setAttribute(this.element, "aria-activedescendant",
      this.#pool.has(this.#current) ? `outline-${this.#current}` : null);
  }

  #make(at) {
    const row = this.#rows[at];
    const part = {};
    part.element = h("div", { class: "outline-row", role: "treeitem", id: `outline-${at}`, "aria-level": row.level,
      "aria-posinset": row.place, "aria-setsize": row.of, "aria-expanded": row.hasChildren ? String(row.isOpen) : null,
      dataset: { at, id: row.id } },
      h("span", { class: `twig${row.hasChildren ? " open" : ""}`, "aria-hidden": "true" },
        row.hasChildren ? (row.isOpen ? "▾" : "▸") : ""),
      part.name = h("span", { class: "outline-name" }, ""),
      part.word = h("span", { class: "outline-word" }, ""),
      part.value = h("span", { class: "outline-value value" }, ""),
      part.owners = h("span", { class: "outline-owners" }, ""));
    part.element.style.top = `${at * this.#height}px`;
    part.element.style.height = `${this.#height}px`;
    part.element.style.paddingInlineStart = `${8 + 16 * Math.min(row.level - 1, 12)}px`;
    return part;
  }

  #fill(part, at) {
    const row = this.#rows[at];
    const { model } = this.#o;
    part.element.classList.toggle("current", at === this.#current);
    if (row.members) return this.#fillFold(part, row);
    const entry = model.nodes.get(row.id) ?? model.listeners.get(row.id);
    if (!entry) return;
    row.title = titleOf(entry);
    setText(part.name, plain(row.title, 80));
    const isListener = entry.kind === "listener";
    const trouble = troubleOf(entry, model.stale.has(entry.name)), rate = model.rate(row.id, performance.now());
    const word = entry.sink ? sinkWords(entry.sink, Date.now()) : trouble?.words ?? wordOf(entry);
    setAttribute(part.element, "data-severity", trouble?.severity);
    setText(part.word, row.isReference ? "as above" : row.isLeak ? "leak: a ring that nobody owns" : rate > 2
      ? `${word}, ${Math.round(rate)} updates/s` : word);
    const held = isListener || row.isReference ? "" : entry.exists === false ? "not running"
      : entry.kind === "family" ? membersOf(entry) : plain(heldOf(entry), 120);
    setText(part.value, held);
    setText(part.owners, isListener || row.isReference ? (entry.queued ? `${entry.queued} waiting` : "")
      : countWords(model, row.id));
    part.element.classList.toggle("as-above", Boolean(row.isReference));
    part.element.classList.toggle("asleep", entry.exists === false);
    part.element.classList.toggle("failed", Boolean(entry.fail ?? entry.failure));
    setAttribute(part.element, "aria-selected", String(row.id === this.#o.view().selected));
    setAttribute(part.element, "data-kind", entry.kind);
  }

  #fillFold(part, { label, members }) {
    const troubles = this.#o.view().troubles.filter(({ id }) => members.has(id)), [worst] = troubles;
    setText(part.name, plain(label, 80));
    setText(part.value, String(members.size));
    setText(part.word, worst ? `${troubles.length} ${troubles.length === 1 ? "needs" : "need"} attention` : "");
    setAttribute(part.element, "data-severity", worst?.severity);
    setAttribute(part.element, "data-kind", "fold");
  }

  #go(at) {
    this.#current = Math.min(Math.max(at, 0), this.#rows.length - 1);
    const y = this.#current * this.#height, { scrollTop, clientHeight } = this.element;
    if (y < scrollTop) this.element.scrollTop = y;
    else if (y + this.#height > scrollTop + clientHeight) this.element.scrollTop = y + this.#height - clientHeight;
    this.#draw();
  }

  #turn(row, open) {
    open === Boolean(row.members) ? this.#turned.add(row.id) : this.#turned.delete(row.id);
    this.refresh();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    this.#build(); // keys may be faster than frames
    const row = this.#rows[this.#current];
    if (!row) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.#height) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) {
      const to = this.#current + steps[event.key];
      this.#go(to === Infinity ? this.#rows.length - 1 : to === -Infinity ? 0 : to);
    } else if (event.key === "ArrowRight") {
      if (row.hasChildren && !row.isOpen) this.#turn(row, true);
      else if (row.hasChildren) this.#go(this.#current + 1);
      else if (row.isReference) this.#go(this.#order.get(row.id) ?? this.#current);
    } else if (event.key === "ArrowLeft") {
      if (row.isOpen) this.#turn(row, false);
      else for (let at = this.#current - 1; at >= 0; at--) if (this.#rows[at].level < row.level) { this.#go(at);
      break; }
    } else if (event.key === "Enter" || event.key === " ") {
      row.members ? this.#turn(row, !row.isOpen) : this.#o.select(row.id);
    } else {
      return;
    }
    event.preventDefault();
  }

  #click(event) {
    const element = event.target.closest?.(".outline-row");
    if (!element) return;
    const at = Number(element.dataset.at), row = this.#rows[at];
    this.#current = at;
    if (row.members || (event.target.closest(".twig") && row.hasChildren)) this.#turn(row, !row.isOpen);
    else this.#o.select(row.id);
    this.#item.mark();
  }
}

export function attach(page) {
  const { frame, signal, store, announce } = page.context;
  const outline = new Outline({
    model: page.model, frame, signal, announce, narrow: store.get("narrow"), select: (id) => page.select(id),
    view: () => ({ asleep: page.view.view.asleep, details: page.view.view.details, troubles: page.parts.attention?.found ?? [], selected: page.selected, only: page.only(),
      leaks: page.highlight.leaks }),
  });
  page.view.element.after(outline.element);
  return outline;
}
