// What keeps nodes alive. Pure: works on a GraphModel.

/** Whether `owner` is `who`, or one of its named owners: `c:7/panel` is of `c:7`. */
export const isOf = (owner, who) => owner === who || owner.startsWith(`${who}/`);

/**
 * Whether nothing but `who`, a connection or one of its named owners, owns the node, as far as its
 * owners are listed.
 */
export const isOnlyOf = ({ owners = [], ownerCount = owners.length }, who) =>
  ownerCount > 0 && ownerCount === owners.length && owners.every((owner) => isOf(owner, who));

const step = (map, id) => map.get(id) ?? [];

/**
 * The clients that keep a node alive, each with a shortest way from the node to it:
 * `[{listener, path: [ids of nodes], edges: [ids]}]`.
 */
export function keptAliveBy(model, id) {
  const { out } = model.neighbours();
  const came = new Map([[id, null]]);
  const open = [id];
  const found = [];
  for (let at = 0; at < open.length; at++) {
    for (const edge of step(out, open[at])) {
      if (edge.kind === "declared" || came.has(edge.to)) continue;
      came.set(edge.to, edge);
      if (model.listeners.has(edge.to)) found.push(edge.to);
      else open.push(edge.to);
    }
  }
  return found.map((listener) => {
    const path = [listener], edges = [];
    for (let edge = came.get(listener); edge; edge = came.get(edge.from)) {
      path.unshift(edge.from);
      edges.unshift(edge.id);
    }
    return { listener, path, edges };
  });
}

/**
 * Nodes that no client keeps: nodes with state, nodes kept by their definition, and everything
 * those are made from.
 */
export function keptAnyway(model) {
  const { into } = model.neighbours();
  const kept = new Set();
  const open = [];
  for (const node of model.nodes.values()) {
    const isKept = node.exists && (node.kind === "mutable"
      || (node.retain !== undefined && node.retain !== "whileInUse"));
    if (isKept) { kept.add(node.id); open.push(node.id); }
  }
  while (open.length) {
    for (const edge of step(into, open.pop())) {
      if (edge.kind === "declared" || kept.has(edge.from)) continue;
      kept.add(edge.from);
      open.push(edge.from);
    }
  }
  return kept;
}

/**
 * The nodes that only this client, or this named owner, holds: they would be released if it left.
 */
export function releasedWithout(model, who) {
  const kept = keptAnyway(model);
  const released = new Set();
  for (const node of model.nodes.values()) {
    if (node.exists && !kept.has(node.id) && isOnlyOf(node, who)) released.add(node.id);
  }
  return released;
}

/** The names of the owners by which this client holds the node; the client itself has no name. */
export function ownerNames(node, listener) {
  return node.owners.filter((owner) => owner !== listener
    && isOf(owner, listener)).map((owner) => owner.slice(listener.length + 1));
}

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
