// Nodes that names and globs mean, members of families among them.

/** The names that they mean; of members of families, which the page does not know, at most `most`. */
export async function namesOf(globs, { observed, graph, most }) {
  const all = await Promise.all(globs.map(async (match) => {
    if (!/[*?]/.test(match)) return match;
    if (observed.families.length) {
      const answer = await fetch(`/v1/graphs/${encodeURIComponent(graph)}/nodes?${new URLSearchParams({ match, limit: most })}`).catch(() => {});
      return answer?.ok ? (await answer.json()).nodes.map(({ name }) => name) : [];
    }
    const pattern = new RegExp(`^${match.replace(/[.-]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")}$`);
    return [...observed.nodes.keys()].filter((name) => pattern.test(name));
  }));
  return [...new Set(all.flat())];
}

/** A source for one widget: one feed of all of the nodes as they come and go, with `rows` by name, and how many `more` there are. */
export function open({ client, graph, nodes, facts }, listener) {
  const feed = { rows: new Map(), more: 0, at: 0, between: 0, folds: 1 };
  const hear = (_, meta) => {
    const { m = {}, t, ended, gap } = meta, at = Date.now(), isAll = !feed.meta || gap !== undefined;
    if (ended) feed.endedAt = at;
    for (const [name, entry] of Object.entries(m)) {
      const known = feed.rows.get(name);
      feed.isOther ||= !known || !!entry.gone;
      if (entry.gone) feed.rows.delete(name);
      // All at once come with the time of the graph, which is not that of each.
      else feed.rows.set(name, { entry, changed: entry.same ? known?.changed : isAll ? known?.changed ?? facts(name)?.t ?? 0 : t });
    }
    feed.meta = meta;
    feed.more = meta.more ?? feed.more;
    if (feed.at) feed.between = feed.between ? 0.8 * feed.between + 0.2 * (at - feed.at) : at - feed.at;
    feed.at = at;
    listener(feed);
  };
  feed.watch = client.watch({ graph, nodes }, null, hear, { every: 100, facets: true });
  return { feed, close: () => feed.watch.close() };
}
