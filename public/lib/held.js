// Who holds what in a live picture, `{nodes, edges}` as the server gives it. Pure.

/** The nodes that would be released if the connection `c` left: those that only it owns, and nothing that stays is made of. */
export function releasedWithout({ nodes, edges }, c) {
  const alive = nodes.filter(({ n }) => n !== undefined), sources = new Map();
  for (const { from, to } of edges) sources.set(to, [...(sources.get(to) ?? []), from]);
  const open = alive.filter(({ kind, retain }) => kind === "mutable" || (retain !== undefined && retain !== "whileInUse")).map(({ n }) => n);
  const kept = new Set(open);
  while (open.length) {
    for (const from of sources.get(open.pop()) ?? []) {
      if (!kept.has(from)) { kept.add(from); open.push(from); }
    }
  }
  return alive.filter(({ n, owners = [], ownerCount = owners.length }) => !kept.has(n) && ownerCount === 1 && owners[0] === c);
}
