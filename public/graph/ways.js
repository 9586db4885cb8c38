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
