// Upstreams: what feeds source nodes from outside; each is a node of the picture. Pure.
import { formatTime } from "../lib/time.js";

/** Replaces the upstreams of the model by the present ones. */
export function feed(model, told, news) {
  const before = shapeOf(model.upstreams);
  for (const { id } of model.upstreams) model.nodes.delete(id);
  model.upstreams = told.map((each) => ({ ...each, id: each.u, kind: "upstream", title: each.from, exists: true,
    owners: [], ownerCount: 0, count: 0, rate: 0 }));
  for (const each of model.upstreams) {
    model.nodes.set(each.id, each);
    news.values.add(each.id);
  }
  news.structure ||= before !== shapeOf(model.upstreams);
}

const shapeOf = (upstreams) => String(upstreams.map(({ id, on, families = [] }) => [id, on, families]));

/** Links them to the nodes that they feed, or to the families of those that are not shown. */
export function link(model) {
  for (const { id: from, on, families = [] } of model.upstreams) {
    const fed = [...on.map((n) => model.ids.get(n)), ...families.map((name) => `n:${name}`)];
    for (const to of fed) {
      const id = `u ${from} ${to}`;
      if (model.nodes.has(to)) model.edges.set(id, { id, from, to, kind: "feed" });
    }
  }
}

/** "failed with status 503, next try at 10:03:12"; `isShort`: "failed: 503". */
export function words({ state, dueAt, failure, status, retryAt }, isShort) {
  if (failure) {
    if (isShort) return status ? `failed: ${status}` : "failed";
    return `failed${status ? ` with status ${status}` : `: ${failure}`}, next try at ${formatTime(retryAt)}`;
  }
  return dueAt ? `${isShort ? "due" : "due at"} ${formatTime(dueAt)}` : state;
}
