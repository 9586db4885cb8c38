// Rings of nodes that keep each other alive though nothing needs them. Pure.
import { keptAnyway, step } from "./owners.js";

/**
 * Rings, as lists of node ids: strongly connected parts with more than one node, and nodes that
 * feed themselves.
 */
export function rings(model) {
  const { out } = model.neighbours();
  const number = new Map(), low = new Map(), stack = [], onStack = new Set(), found = [];
  let next = 0;
  for (const start of model.nodes.keys()) {
    if (number.has(start)) continue;
    const path = [{ id: start, at: 0 }];
    while (path.length) {
      const top = path[path.length - 1];
      if (!number.has(top.id)) {
        number.set(top.id, next);
        low.set(top.id, next++);
        stack.push(top.id);
        onStack.add(top.id);
      }
      const edges = step(out, top.id);
      if (top.at < edges.length) {
        const { to, kind } = edges[top.at++];
        if (kind !== "flow") continue;
        if (!number.has(to)) path.push({ id: to, at: 0 });
        else if (onStack.has(to)) low.set(top.id, Math.min(low.get(top.id), number.get(to)));
        continue;
      }
      path.pop();
      const above = path[path.length - 1];
      if (above) low.set(above.id, Math.min(low.get(above.id), low.get(top.id)));
      if (low.get(top.id) !== number.get(top.id)) continue;
      const ring = [];
      let member;
      do {
        member = stack.pop();
        onStack.delete(member);
        ring.push(member);
      } while (member !== top.id);
      const feedsItself = edges.some((edge) => edge.kind === "flow" && edge.to === top.id);
      if (ring.length > 1 || feedsItself) found.push(ring);
    }
  }
  return found;
}

/** Rings that no client and no definition keeps alive from outside: leaks. */
export function leaks(model) {
  const kept = keptAnyway(model);
  const leaking = new Set();
  for (const ring of rings(model)) {
    const owned = ring.some((id) => kept.has(id) || model.nodes.get(id).ownerCount > 0);
    if (!owned) ring.forEach((id) => leaking.add(id));
  }
  return leaking;
}
