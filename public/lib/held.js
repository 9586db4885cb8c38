// Who holds what in a live picture, `{nodes, edges}` as the server gives it. Pure.

/** Whether `owner` is `who`, or one of its named owners: `c:7/panel` is of `c:7`. */
export const isOf = (owner, who) => owner === who || owner.startsWith(`${who}/`);

/** Whether nothing but `who`, a connection or one of its named owners, owns the node, as far as its owners are listed. */
export const isOnlyOf = ({ owners = [], ownerCount = owners.length }, who) =>
  ownerCount > 0 && ownerCount === owners.length && owners.every((owner) => isOf(owner, who));

/** The nodes that would be released if `who` left, a connection or one of its named owners: those that only it owns, and nothing that stays is made of. */
export function releasedWithout({ nodes, edges }, who) {
  const alive = nodes.filter(({ n }) => n !== undefined), sources = new Map();
  for (const { from, to } of edges) sources.set(to, [...(sources.get(to) ?? []), from]);
  const open = alive.filter(({ kind, retain }) => kind === "mutable" || (retain !== undefined && retain !== "whileInUse")).map(({ n }) => n);
  const kept = new Set(open);
  while (open.length) {
    for (const from of sources.get(open.pop()) ?? []) {
      if (!kept.has(from)) { kept.add(from); open.push(from); }
    }
  }
  return alive.filter((node) => !kept.has(node.n) && isOnlyOf(node, who));
}
