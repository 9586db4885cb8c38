// Ways through the picture: what keeps a node alive, what would go with a client, what stands around a node; rings that nobody owns.
import { plural } from "/lib/format.js";
import { keptAliveBy, leaks, releasedWithout } from "./owners.js";
import { titleOf } from "./shapes.js";

const directions = ["both", "up", "down"];
const words = { both: "upstream and downstream", up: "upstream", down: "downstream" };

export class Ways {
  /** The rings that nobody owns: ids of nodes. */
  leaks = new Set();
  #o; #ownersOf = null; #hovered = null;

  /** `o`: `{model, view, announce, entry(id), go(change), said(words), changed()}`. */
  constructor(o) { this.#o = o; }

  get isLit() { return this.#ownersOf !== null; }

  /** The structure has changed. */
  follow() {
    const { model, view, changed } = this.#o, before = this.leaks;
    this.leaks = leaks(model);
    view.setLeaks(this.leaks);
    if (String([...before]) !== String([...this.leaks])) changed();
    if (this.isLit) this.#lightOwners();
    else if (this.#hovered) this.hover(this.#hovered);
  }

  /** The pointer or the keyboard is at a node, a client, or nothing: what would go with a client is marked and said. */
  hover(id) {
    const { model, view, said } = this.#o;
    this.#hovered = id;
    if (this.isLit) return;
    const listener = id && model.listeners.get(id), released = listener ? releasedWithout(model, id) : new Set();
    view.light("leaving", released.size ? { nodes: released, edges: new Set() } : null);
    said(listener ? `${titleOf(listener)}: leaving releases ${released.size ? plural(released.size, "node") : "nothing"}` : null);
  }

  /** Lights up what keeps a node alive, or stops that. */
  toggleOwners(id) {
    const { announce, entry, view } = this.#o, isOn = this.isLit || !id;
    this.#ownersOf = isOn ? null : id;
    if (isOn) return view.light("owners", null);
    announce(`${titleOf(entry(id))} is kept alive by ${plural(this.#lightOwners(), "client")}`);
  }

  #lightOwners() {
    const kept = keptAliveBy(this.#o.model, this.#ownersOf);
    this.#o.view.light("owners", { nodes: new Set([this.#ownersOf, ...kept.flatMap((k) => k.path)]), edges: new Set(kept.flatMap((k) => k.edges)) });
    return kept.length;
  }

  /** Goes from node to node: along the flow, or to the next in the same column. */
  walk(dx, dy) {
    const { current, edges, isDown, picture, camera } = this.#o.view, [along, across] = isDown ? [dy, dx] : [dx, dy];
    const here = picture?.nodes.get(current), middle = (box) => (isDown ? box.x + box.w / 2 : box.y + box.h / 2);
    if (!here) return;
    const ends = along ? [...edges].flatMap(({ from, to }) => (along > 0 ? from === current && to : to === current && from) || [])
      : [...picture.nodes].filter(([, box]) => box.layer === here.layer && Math.sign(middle(box) - middle(here)) === across).map(([id]) => id);
    const way = (id) => Math.abs(middle(picture.nodes.get(id)) - middle(here));
    const [best] = ends.filter((id) => id !== current && picture.nodes.has(id)).sort((a, b) => way(a) - way(b));
    if (!best) return;
    this.#o.view.focus(best);
    camera.show(picture.nodes.get(best));
  }

  /** What a focus shows, in words. */
  wordsOf({ id, direction }) { return `Focus: ${titleOf(this.#o.entry(id))}, ${words[direction]}`; }

  /** Both ways, upstream, downstream, off. */
  cycleFocus(id, focus) {
    const { announce, entry, go } = this.#o;
    if (!id) return announce("Choose a node first");
    const next = directions[directions.indexOf(focus?.direction ?? "") + 1] ?? null;
    go({ node: entry(id).name ?? id, focus: next });
    announce(next ? `Focus: ${words[next]}` : "Focus off");
  }
}

export const attach = (page) => new Ways({
  model: page.model, view: page.view, announce: page.context.announce, entry: (id) => page.entry(id), go: (change) => page.go(change),
  said: (words) => { page.leaveWords = words; page.words(); },
  changed: () => { page.parts.outline?.refresh(); page.words(); },
});
