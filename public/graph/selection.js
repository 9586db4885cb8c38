// What is selected or pointed at, in the picture, the outline and the inspector, and what is lit up
// because of it: what keeps a node running, what would stop with a client, rings without owners.
import { h, load, setAttribute, setText } from "/lib/dom.js";
import { plural } from "/lib/format.js";
import { Navigation } from "./camera.js";
import { hasUnowned, keptAliveBy, releasedWithout } from "./owners.js";
import { titleOf } from "./shapes.js";

export class Selection {
  #page; #navigation;

  constructor(page) {
    this.#page = page;
    this.#navigation = new Navigation(page.view, (dx, dy) => page.highlight.walk(dx, dy));
  }

  /** Follows an event of the picture. */
  take(event, at) {
    const id = this.#navigation.take(event, at), shape = this.#page.view.shapes.get(id);
    if (id === null) return this.select(null);
    if (!shape) return;
    this.#page.view.rove(id);
    if (shape.type === "cluster") this.open(id, shape);
    else this.select(id);
  }

  zoom(factor) { this.#navigation.zoom(factor); }

  show(box) { this.#navigation.show(box); }

  /**
   * Selects a node or listener, or nothing; `reveal` also brings it on screen, `focus` under the
   * keyboard.
   */
  select(id, { reveal = false, focus = false } = {}) {
    const page = this.#page, { model, view, focused } = page;
    if (id === null) return page.go({ node: null, focus: null });
    const entry = model.nodes.get(id) ?? model.listeners.get(id), name = id.slice(2);
    // A member that is not shown yet.
    if (!entry && (page.isLarge || model.familyOf(name))) return page.go({ node: name, focus: null });
    if (!entry) return page.context.announce("It is not there any more");
    if (reveal && entry.exists === false && !view.view.asleep) this.toggleAsleep();
    if (reveal) page.wanted = { id, focus };
    const query = { node: entry.name ?? id };
    if (focused && !page.only().has(id)) query.focus = null;
    page.go(query);
    if (page.selected === id) page.inspect(id);
    if (reveal) this.reveal();
  }

  /** Waits for a picture in which the wanted node is drawn by itself. */
  reveal() {
    const page = this.#page, { view } = page;
    if (!page.wanted) return;
    const { id, focus } = page.wanted;
    if (page.mode === "outline") {
      page.wanted = null;
      page.part("outline").then((outline) => {
        outline?.reveal(id);
        if (focus) outline?.element.focus();
      });
      return;
    }
    const drawn = view.drawn(id);
    if (!drawn) return;
    // It is drawn by itself once it is selected.
    if (drawn !== id) return;
    page.wanted = null;
    this.show(view.picture.nodes.get(id));
    if (focus) view.focus(id);
  }

  async inspect(id, isFirst = false) {
    const page = this.#page, panel = await page.part("panel");
    // The panel takes room: the selection stays on screen.
    if (page.selected !== id || !panel?.show(id) || page.mode !== "picture") return;
    if (isFirst && page.view.camera.isFitted) return page.view.fit();
    const box = page.view.picture?.nodes.get(page.view.drawn(id));
    if (box) this.show(box);
  }

  /** Opens a group, as the one that is drawn whole. */
  open(id, { members }) {
    const { context, view } = this.#page, { open } = view.view, key = id.replace(/ …$/, "");
    open.delete(key);
    open.add(key);
    view.show({});
    context.announce(`Group of ${members.length} opened`);
  }

  closeGroups() {
    this.#page.view.view.open.clear();
    this.#page.view.show({});
  }

  /** The target of a key: the focused node, or the selected one. */
  #target() {
    const { mode, parts, view, selected } = this.#page, isOutline = mode === "outline" && parts.outline;
    const { element, current } = isOutline ? parts.outline : view, here = this.#page.find(current ?? "");
    return (element.contains(document.activeElement) ? here : null) ?? selected ?? here;
  }

  cycleFocus() {
    const page = this.#page;
    page.highlight.cycleFocus(page.focused?.id ?? this.#target(), page.focused);
  }

  toggleOwners() { this.#page.highlight.toggleOwners(this.#target()); }

  escape() {
    const page = this.#page, { highlight, parts } = page;
    if (parts.legend?.matches(":popover-open")) parts.legend.hidePopover();
    else if (highlight.isLit) highlight.toggleOwners();
    else if (parts.lifetimes?.tray.hidden === false) parts.lifetimes.toggle(false);
    else if (page.focused) page.go({ focus: null });
    else if (page.selected) this.select(null);
  }

  toggleAsleep() {
    const { asleepButton, parts, view } = this.#page, asleep = !view.view.asleep;
    asleepButton.setAttribute("aria-pressed", String(asleep));
    view.show({ asleep });
    parts.outline?.refresh();
  }

  /** Says why nothing can be shown. */
  refused({ code, msg }) {
    const { empty, graph } = this.#page;
    empty.hidden = false;
    setText(empty, code === "unknown_graph" ? `There is no graph “${graph}”.`
      : code !== "forbidden" ? `The graph cannot be observed: ${msg ?? code}`
      : "You may not look at this graph as a whole: that needs the right “observe”. Its values may still be readable under Values.");
  }

  /** The focused node is gone, or drawn as another item, which gets the focus. */
  lost({ id, entry, next }) {
    const { view, context } = this.#page, shape = view.shapes.get(next);
    if (entry.kind
      && !view.drawn(id)) context.announce(`${titleOf(entry)} is gone${shape ? `. Now at ${shape.label ?? titleOf(shape.entry)}` : ""}`);
  }
}

const directions = ["both", "up", "down"];
const words = { both: "upstream and downstream", up: "upstream", down: "downstream" };

export class Highlight {
  /** The rings without owners: ids of nodes. */
  leaks = new Set();
  #page; #ownersOf = null; #hovered = null;
  /** What is lit up: `{kind, nodes, edges}`. */
  #lit = null;

  /** Beside the counts: what the focus is. */
  #chip = h("span", { class: "focus-chip", hidden: true }, h("span", {}, ""),
    h("button", { type: "button", class: "quiet", onclick: () => this.#page.go({ focus: null }) }, "Show all"));

  constructor(page) {
    this.#page = page;
    page.counts.after(this.#chip);
  }

  get isLit() { return this.#ownersOf !== null; }

  /** The structure has changed. */
  follow() {
    const { model } = this.#page;
    if (!this.leaks.size && !hasUnowned(model)) this.#flag(new Set());
    else load("/graph/leaks.js").then(({ leaks }) => this.#flag(leaks(model)), () => { /* the next change */ });
    if (this.isLit) this.light();
    else if (this.#hovered) this.hover(this.#hovered);
  }

  #flag(leaks) {
    const { view, parts } = this.#page, turned = [...this.leaks].filter((id) => !leaks.has(id))
      .concat([...leaks].filter((id) => !this.leaks.has(id)));
    view.leaks = this.leaks = leaks;
    if (!turned.length) return;
    view.repaint(turned);
    parts.outline?.refresh();
    this.#page.words();
  }

  /**
   * Lights up `{nodes, edges}` of the model, as `owners` or as `leaving`; without them, what O has
   * lit, or nothing.
   */
  light(kind, set) {
    this.#lit = set ? { kind, ...set } : this.isLit ? this.#owners() : null;
    this.draw();
  }

  /** Draws the lines of clients at what is selected or pointed at, and of what is lit. */
  lines() {
    const { view } = this.#page, lit = this.#lit, ids = [this.#hovered, view.view.selected].map((id) => id && (view.drawn(id) ?? id));
    view.lines?.show(new Set(ids.filter(Boolean)), lit?.kind === "owners" ? lit.edges : new Set());
  }

  /** Highlights the present picture. */
  draw() {
    const { view } = this.#page, lit = this.#lit, isOwners = lit?.kind === "owners";
    this.lines();
    const drawn = new Set([...(lit?.nodes ?? [])].map((id) => view.drawn(id) ?? id));
    view.element.classList.toggle("dimmed", isOwners);
    for (const [id, { element }] of view.shapes) {
      element.classList.toggle("lit", isOwners && drawn.has(id));
      element.classList.toggle("leaving", !isOwners && drawn.has(id));
    }
    for (const { element, look, members } of view.edges.values()) {
      const isLit = isOwners && members.some((member) => lit.edges.has(member.id));
      element.classList.toggle("lit", isLit);
      setAttribute(element, "marker-end", `url(#end-${isLit ? "lit" : look})`);
    }
  }

  /**
   * The pointer or the keyboard is at a node, a client, or nothing: what would go with a client is
   * marked and said.
   */
  hover(id) {
    const { model } = this.#page;
    this.#hovered = id;
    if (this.isLit) return this.lines();
    const listener = id && model.listeners.get(id), released = listener ? releasedWithout(model, id) : new Set();
    this.light("leaving", released.size ? { nodes: released, edges: new Set() } : null);
    this.#page.leaveWords = listener
      ? `${titleOf(listener)}: leaving stops ${released.size ? plural(released.size, "node") : "nothing"}` : null;
    this.#page.words();
  }

  /** Lights up what keeps a node alive, or stops that. */
  toggleOwners(id) {
    const { model, context: { announce } } = this.#page;
    this.#ownersOf = this.isLit || !id ? null : id;
    this.light();
    if (this.isLit) announce(`${titleOf(this.#page.entry(id))} is kept running by ${plural(keptAliveBy(model, id).length, "client")}`);
  }

  #owners() {
    const kept = keptAliveBy(this.#page.model, this.#ownersOf);
    return { kind: "owners", nodes: new Set([this.#ownersOf, ...kept.flatMap((k) => k.path)]),
      edges: new Set(kept.flatMap((k) => k.edges)) };
  }

  /** Goes from node to node: along the flow, or to the next in the same column. */
  walk(dx, dy) {
    const { current, edges, isDown, picture } = this.#page.view, [along, across] = isDown ? [dy, dx] : [dx, dy];
    const here = picture?.nodes.get(current), middle = (box) => (isDown ? box.x + box.w / 2 : box.y + box.h / 2);
    if (!here) return;
    const { model, view } = this.#page, joined = [...edges.values(), ...model.clientLines().lines
      .map(({ from, to }) => ({ from: view.drawn(from), to: view.drawn(to) }))];
    const ends = along ? joined.flatMap(({ from, to }) =>
      (along > 0 ? from === current && to : to === current && from) || [])
      : [...picture.nodes].filter(([, box]) => box.layer === here.layer
        && Math.sign(middle(box) - middle(here)) === across).map(([id]) => id);
    const way = (id) => Math.abs(middle(picture.nodes.get(id)) - middle(here));
    const [best] = ends.filter((id) => id !== current && picture.nodes.has(id)).sort((a, b) => way(a) - way(b));
    if (!best) return;
    this.#page.view.focus(best);
    this.#page.selection.show(picture.nodes.get(best));
  }

  /**
   * The selection or the focus has changed: the highlight ends, and the focus is named beside the
   * counts.
   */
  focus(focus) {
    if (this.isLit) this.toggleOwners();
    if (focus) setText(this.#chip.firstChild, `Focus: ${titleOf(this.#page.entry(focus.id))}, ${words[focus.direction]}`);
    this.#chip.hidden = !focus;
  }

  /** Both ways, upstream, downstream, off. */
  cycleFocus(id, focus) {
    const page = this.#page, { announce } = page.context;
    if (!id) return announce("Choose a node first");
    const next = directions[directions.indexOf(focus?.direction ?? "") + 1] ?? null;
    page.go({ node: page.entry(id).name ?? id, focus: next });
    announce(next ? `Focus: ${words[next]}` : "Focus off");
  }
}
