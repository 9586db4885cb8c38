// What is highlighted in the picture: what keeps a node alive, what would go with a client, rings
// without owners; and the focus.
import { h, setAttribute, setText } from "/lib/dom.js";
import { plural } from "/lib/format.js";
import { keptAliveBy, leaks, releasedWithout } from "./owners.js";
import { titleOf } from "./shapes.js";

const directions = ["both", "up", "down"];
const words = { both: "upstream and downstream", up: "upstream", down: "downstream" };

export class Highlight {
  /** The rings without owners: ids of nodes. */
  leaks = new Set();
  #o; #ownersOf = null; #hovered = null;
  /** What is lit up: `{kind, nodes, edges}`. */
  #lit = null;

  /**
   * `o`: `{model, view, announce, entry(id), go(change), chip, show(box), said(words), changed()}`.
   */
  constructor(o) { this.#o = o; }

  get isLit() { return this.#ownersOf !== null; }

  /** The structure has changed. */
  follow() {
    const { model, view, changed } = this.#o, before = this.leaks;
    view.leaks = this.leaks = leaks(model);
    const turned = [...before].filter((id) =>
      !this.leaks.has(id)).concat([...this.leaks].filter((id) => !before.has(id)));
    view.repaint(turned);
    if (turned.length) changed();
    if (this.isLit) this.light();
    else if (this.#hovered) this.hover(this.#hovered);
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
    const { view } = this.#o, lit = this.#lit, ids = [this.#hovered, view.view.selected].map((id) => id && (view.drawn(id) ?? id));
    view.lines?.show(new Set(ids.filter(Boolean)), lit?.kind === "owners" ? lit.edges : new Set());
  }

  /** Highlights the present picture. */
  draw() {
    const { view } = this.#o, lit = this.#lit, isOwners = lit?.kind === "owners";
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
    const { model, said } = this.#o;
    this.#hovered = id;
    if (this.isLit) return this.lines();
    const listener = id && model.listeners.get(id), released = listener ? releasedWithout(model, id) : new Set();
    this.light("leaving", released.size ? { nodes: released, edges: new Set() } : null);
    said(listener
      ? `${titleOf(listener)}: leaving releases ${released.size ? plural(released.size, "node") : "nothing"}` : null);
  }

  /** Lights up what keeps a node alive, or stops that. */
  toggleOwners(id) {
    const { announce, entry, model } = this.#o;
    this.#ownersOf = this.isLit || !id ? null : id;
    this.light();
    if (this.isLit) announce(`${titleOf(entry(id))} is kept alive by ${plural(keptAliveBy(model, id).length, "client")}`);
  }

  #owners() {
    const kept = keptAliveBy(this.#o.model, this.#ownersOf);
    return { kind: "owners", nodes: new Set([this.#ownersOf, ...kept.flatMap((k) => k.path)]),
      edges: new Set(kept.flatMap((k) => k.edges)) };
  }

  /** Goes from node to node: along the flow, or to the next in the same column. */
  walk(dx, dy) {
    const { current, edges, isDown, picture } = this.#o.view, [along, across] = isDown ? [dy, dx] : [dx, dy];
    const here = picture?.nodes.get(current), middle = (box) => (isDown ? box.x + box.w / 2 : box.y + box.h / 2);
    if (!here) return;
    const { model, view } = this.#o, joined = [...edges.values(), ...model.clientLines().lines
      .map(({ from, to }) => ({ from: view.drawn(from), to: view.drawn(to) }))];
    const ends = along ? joined.flatMap(({ from, to }) =>
      (along > 0 ? from === current && to : to === current && from) || [])
      : [...picture.nodes].filter(([, box]) => box.layer === here.layer
        && Math.sign(middle(box) - middle(here)) === across).map(([id]) => id);
    const way = (id) => Math.abs(middle(picture.nodes.get(id)) - middle(here));
    const [best] = ends.filter((id) => id !== current && picture.nodes.has(id)).sort((a, b) => way(a) - way(b));
    if (!best) return;
    this.#o.view.focus(best);
    this.#o.show(picture.nodes.get(best));
  }

  /**
   * The selection or the focus has changed: the highlight ends, and the focus is named beside the
   * counts.
   */
  focus(focus) {
    const { chip, entry } = this.#o;
    if (this.isLit) this.toggleOwners();
    if (focus) setText(chip.firstChild, `Focus: ${titleOf(entry(focus.id))}, ${words[focus.direction]}`);
    chip.hidden = !focus;
  }

  /** Both ways, upstream, downstream, off. */
  cycleFocus(id, focus) {
    const { announce, entry, go } = this.#o;
    if (!id) return announce("Choose a node first");
    const next = directions[directions.indexOf(focus?.direction ?? "") + 1] ?? null;
    go({ node: entry(id).name ?? id, focus: next });
    announce(next ? `Focus: ${words[next]}` : "Focus off");
  }
}

/** The highlight of a page, with the chip that says what its focus is. */
export function highlightOf(page) {
  const go = (change) => page.go(change);
  const chip = h("span", { class: "focus-chip", hidden: true }, h("span", {}, ""),
    h("button", { type: "button", class: "quiet", onclick: () => go({ focus: null }) }, "Show all"));
  page.counts.after(chip);
  return new Highlight({
    model: page.model, view: page.view, announce: page.context.announce, entry: (id) => page.entry(id), go, chip,
      show: (box) => page.act("show", box),
    said: (words) => { page.leaveWords = words; page.words(); },
    changed: () => { page.parts.outline?.refresh(); page.words(); },
  });
}
