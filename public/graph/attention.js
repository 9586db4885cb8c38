// What calls for attention: counted above the picture, and named at its border where it is not on
// screen; a click leads there.
import { h, severityMark } from "/lib/dom.js";
import { severityWords, staleWord } from "/lib/words.js";
import { plain, titleOf, troubleOf } from "./shapes.js";

const order = ["alarm", "warning", "stale"];
const sides = ["left", "right", "top", "bottom"];

class Attention {
  /** `{id, title, severity, words}`, the most urgent first. */
  found = [];
  #o; #at = -1; #said = "";
  /** The button above the picture, and those at its borders. */
  button = h("button", { type: "button", class: "quiet attention", hidden: true, onclick: () => this.#next() });
  #borders = Object.fromEntries(sides.map((side) => [side,
    h("button", { type: "button", class: "border-note", dataset: { side }, hidden: true,
      onclick: () => this.#o.select(this.#ids[side]) })]));
  #ids = {};
  element = h("div", { class: "border-notes", role: "group", "aria-label": "Out of view" },
    Object.values(this.#borders));

  /** `o`: `{model, view, elsewhere() → more of what was found, select(id)}`. */
  constructor(o) { this.#o = o; }

  /** Values or the picture have changed. */
  refresh() {
    const { model, view } = this.#o, groups = new Map();
    this.found = [];
    for (const entry of [...model.nodes.values(), ...model.listeners.values()]) {
      const trouble = troubleOf(entry, model.stale.has(entry.name));
      if (trouble && order.includes(trouble.severity)) this.found.push({ ...trouble, id: entry.id, title: titleOf(entry) });
    }
    const known = new Set(this.found.map(({ id }) => id));
    this.found.push(...this.#o.elsewhere().filter(({ id, severity }) => !known.has(id) && order.includes(severity)));
    this.found.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
    for (const each of this.found) {
      const drawn = view.drawn(each.id);
      if (drawn !== each.id) groups.set(drawn, [...(groups.get(drawn) ?? []), each]);
    }
    for (const [id, shape] of view.shapes) if (shape.type === "cluster") shape.count(shape.members.length, groups.get(id));
    const [worst] = this.found, { length } = this.found;
    const said = !worst ? "" : length === 1 ? named(worst) : `${length} need attention`;
    this.button.hidden = !worst;
    if (worst && said + worst.severity !== this.#said) this.button.replaceChildren(severityMark(worst.severity, said));
    this.#said = said + worst?.severity;
    this.place();
  }

  #next() {
    this.#at = (this.#at + 1) % this.found.length;
    this.#o.select(this.found[this.#at].id);
  }

  /** The camera has moved. */
  place() {
    const { picture, camera } = this.#o.view, { w, h } = camera.size, out = Map.groupBy([], () => "");
    for (const each of picture ? this.found : []) {
      const box = picture.nodes.get(this.#o.view.drawn(each.id));
      if (!box) continue;
      const x = camera.x + (box.x + box.w / 2) * camera.zoom, y = camera.y + (box.y + box.h / 2) * camera.zoom;
      const by = { left: -x, right: x - w, top: -y, bottom: y - h };
      const side = sides.reduce((a, b) => (by[b] > by[a] ? b : a));
      if (by[side] < 0) continue;
      const known = out.get(side);
      known ? known.count++ : out.set(side, { each, x, y, count: 1 });
    }
    for (const side of sides) {
      const button = this.#borders[side], { each, x, y, count } = out.get(side) ?? {};
      button.hidden = !each;
      if (!each) continue;
      const said = named(each) + (count > 1 ? `, ${count - 1} more` : "");
      if (this.#ids[side] !== each.id || button.textContent !== said) {
        button.replaceChildren(severityMark(each.severity, said));
        this.#ids[side] = each.id;
      }
      const within = (at, size, from, to) => `${Math.round(Math.max(from, Math.min(size - to, at)))}px`;
      if (side === "left" || side === "right") button.style.top = within(y, h, 24, 80);
      else button.style.left = within(x, w, 160, 160);
    }
  }
}

const named = ({ title, words }) => `${plain(title, 30)}: ${words}`;

/** Loaded with the first trouble. */
export function attach(page) {
  const { model, view, context: { store } } = page, attention = new Attention({ model, view,
    select: (id) => page.select(id, { reveal: true, focus: page.mode === "picture" }),
    // What the list of graphs names, for graphs that are too large to be observed as a whole.
    elsewhere() {
      const { alarms = [], stale = [] } = page.isLarge && store.get("graphs")?.find(({ graph }) => graph === page.graph) || {};
      return [...alarms.map(({ node, title = node, severity }) => ({ id: `n:${node}`, title, severity,
        words: severityWords[severity] })),
      ...stale.map((node) => ({ id: `n:${node}`, title: node, severity: "stale", words: staleWord }))];
    } });
  page.counts.before(attention.button);
  view.element.after(attention.element);
  attention.refresh();
  return attention;
}
