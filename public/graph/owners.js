// What keeps nodes alive. Pure: works on a GraphModel.

/** Whether `owner` is `who`, or one of its named owners: `c:7/panel` is of `c:7`. */
export const isOf = (owner, who) => owner === who || owner.startsWith(`${who}/`);

/**
 * Whether nothing but `who`, a connection or one of its named owners, owns the node, as far as its
 * owners are listed.
 */
export const isOnlyOf = ({ owners = [], ownerCount = owners.length }, who) =>
  ownerCount > 0 && ownerCount === owners.length && owners.every((owner) => isOf(owner, who));

export const step = (map, id) => map.get(id) ?? [];

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

/** Whether nodes live that nothing seems to need: then `leaks.js` looks for rings. */
export function hasUnowned(model) {
  const unowned = [...model.nodes.values()].filter(({ exists, kind, ownerCount }) =>
    exists && ownerCount === 0 && /derived|chain/.test(kind));
  const kept = unowned.length ? keptAnyway(model) : null;
  return unowned.some(({ id }) => !kept.has(id));
}
