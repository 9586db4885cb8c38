// Nodes that match names and globs, members of families among them.

/** One page of the nodes and members that a glob matches; undefined without an answer. */
async function page(graph, match, limit) {
  const query = new URLSearchParams({ match, limit });
  const answer = await fetch(`/v1/graphs/${encodeURIComponent(graph)}/nodes?${query}`).catch(() => {});
  return answer?.ok ? (await answer.json()).nodes : undefined;
}

/** The names that match; of members of families, which the page does not know, at most `most`. */
export async function namesOf(globs, { observed, graph, most }) {
  const all = await Promise.all(globs.map(async (match) => {
    if (!/[*?]/.test(match)) return match;
    if (observed.families.length) {
      const found = await page(graph, match, most);
      return found?.map(({ name }) => name) ?? [];
    }
    const pattern = new RegExp(`^${match.replace(/[.-]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")}$`);
    return [...observed.nodes.keys()].filter((name) => pattern.test(name));
  }));
  return [...new Set(all.flat())];
}

/**
 * A source for one widget: one feed of all of the nodes as they come and go, with `rows` by name,
 * and how many `more` there are.
 */
export function open({ client, graph, nodes, observed }, listener) {
  const feed = { rows: new Map(), more: 0, at: 0, between: 0, folds: 1 }, facts = (name) => observed.facts(name);
  const hear = (_, meta) => {
    const { m = {}, t, ended, gap } = meta, at = Date.now(), isAll = !feed.meta || gap !== undefined;
    if (ended) feed.endedAt = at;
    for (const [name, entry] of Object.entries(m)) {
      const known = feed.rows.get(name);
      feed.isOther ||= !known || !!entry.gone;
      if (entry.gone) feed.rows.delete(name);
      // A snapshot has the time of the graph, not that of each node.
      else {
        const before = known?.changed, first = before ?? facts(name)?.t ?? 0;
        feed.rows.set(name, { entry, changed: entry.same ? before : isAll ? first : t });
      }
    }
    feed.meta = meta;
    feed.more = meta.more ?? (isAll ? 0 : feed.more);
    if (feed.at) feed.between = feed.between ? 0.8 * feed.between + 0.2 * (at - feed.at) : at - feed.at;
    feed.at = at;
    listener(feed);
  };
  const watch = feed.watch = client.watch({ graph, nodes }, null, hear, { every: 100, facets: true });
  return { feed, close: () => watch.close() };
}
