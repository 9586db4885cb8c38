// From one picture to the next: what has gone fades at its old place, and does not take the focus with it.
import { titleOf, wordOf } from "./shapes.js";

export { settle } from "./settle.js";

/** Takes out what is not drawn any more, or not like that; returns what had the focus of it. */
export function clear({ shapes, scene }) {
  const drawn = new Map(scene.nodes.map((node) => [node.id, node]));
  let lost = null;
  for (const [id, shape] of shapes) {
    const next = drawn.get(id);
    if (next && next.type === shape.type && looksLike(next, shape)) continue;
    if (document.activeElement === shape.element) {
      const { entry, label, members, entering } = shape;
      // What it is drawn as now, what it was made of, or what it was made from.
      lost = { id, entry: entry ?? { name: label }, near: [id, scene.of.get(id), ...(members ?? []), ...entering.map(({ from }) => from)] };
    }
    shape.element.remove();
    shapes.delete(id);
  }
  return lost;
}

function looksLike({ type, entry, label, members }, shape) {
  if (type === "cluster" || type === "fold") return label === shape.label && String(members) === String(shape.members);
  const now = shape.entry;
  return entry.kind === now.kind && entry.you === now.you && titleOf(entry) === titleOf(now) && wordOf(entry) === wordOf(now);
}

/** Marks what fades or falls asleep, and gives the focus to who is next; returns what lost it for good. */
export function mark(view, lost) {
  const { shapes, dying, model } = view;
  for (const [id, { element }] of shapes) {
    const isThere = model.nodes.has(id) || model.listeners.has(id);
    element.classList.toggle("gone", dying.has(id) && !isThere);
    element.classList.toggle("falls", dying.has(id) && isThere);
  }
  if (!lost) return null;
  const next = [...lost.near, view.current].find((id) => view.focus(id));
  return next === lost.id ? null : { ...lost, next };
}
