// Families, and upstreams, which feed nodes from outside: each is a node of the picture, and stands
// there for what is not shown. Pure.
import { formatTime } from "../lib/format.js";

const placeholder = /\{\w+\}/g;
const escaped = (text) => text.replace(/[.-]/g, "\\$&");
const fits = (family, name) =>
  new RegExp(`^${family.split(placeholder).map(escaped).join("[\\w-]{1,64}")}$`).test(name);

const standing = { exists: true, owners: [], ownerCount: 0, count: 0, rate: 0 };
const familyNode = ({ name, kind: word, ...rest }) =>
  ({ ...rest, ...standing, id: `n:${name}`, name, word, kind: "family" });
const upstreamNode = (each) => ({ ...each, ...standing, id: each.u, kind: "upstream", title: each.from,
  state: upstreamWords(each), short: upstreamWords(each, true) });
const shapeOf = (list) => String(list.map(({ id, on, families = [] }) => [id, on, families]));

/** Of families, the one of that member, or of that name with placeholders. */
export function familyOf(families, name) {
  const plain = name.replace(placeholder, "x");
  return families.find((each) => fits(each.name, plain));
}

/**
 * What people call a member: the title of its family, with what stands for the placeholders in
 * their places, or after it.
 */
export function memberTitle({ name: family, title }, name) {
  const names = family.match(placeholder) ?? [], keys = new RegExp(
    `^${family.split(placeholder).map(escaped).join("([\\w-]{1,64})")}$`).exec(name)?.slice(1) ?? [];
  const filled = title.replace(placeholder, (each) => keys[names.indexOf(each)] ?? each);
  return filled === title ? [title, ...keys].join(" ") : filled;
}

/** For what the server says of a node: its title, where that is the one of a family. */
export const called = ({ name, family, title }) =>
  (family && title ? { title: memberTitle({ name: family, title }, name) } : undefined);

/** Takes over what the server lists anew as a whole. */
export function replace(model, { families, upstreams }, news) {
  if (families || news.fresh) put(model, "families", (families ?? []).map(familyNode), news);
  if (upstreams || news.fresh) put(model, "upstreams", (upstreams ?? []).map(upstreamNode), news);
}

function put(model, key, list, news) {
  const before = shapeOf(model[key]);
  // Its spread is looked up once in a while; see `spread.js`.
  for (const each of list) each.spread = model.nodes.get(each.id)?.spread;
  for (const { id } of model[key]) model.nodes.delete(id);
  model[key] = list;
  for (const each of list) {
    model.nodes.set(each.id, each);
    news.values.add(each.id);
  }
  news.structure ||= before !== shapeOf(list);
}

export function link(model) {
  linkFamilies(model);
  linkUpstreams(model);
}

/** Nodes made from hidden members, and listeners to them, are linked to the family. */
function linkFamilies(model) {
  const add = (name, { id: to }, kind) => {
    const from = `n:${name}`, id = `f ${name} ${to}`;
    if (model.nodes.has(from)) model.edges.set(id, { id, from, to, kind });
  };
  for (const node of model.nodes.values()) {
    for (const name of node.families ?? []) add(name, node, node.exists ? "member" : "declared");
    if (node.kind === "family") for (const input of node.inputs ?? []) add(model.familyOf(input)?.name ?? input, node,
      "member");
  }
  for (const listener of model.listeners.values()) for (const name of listener.families ?? []) add(name, listener,
    "listen");
}

/** Upstreams are linked to the nodes that they feed, or to the families of hidden ones. */
function linkUpstreams(model) {
  for (const { id: from, on, families = [] } of model.upstreams) {
    for (const to of [...on.map((n) => model.ids.get(n)), ...families.map((name) => `n:${name}`)]) {
      const id = `u ${from} ${to}`;
      if (model.nodes.has(to)) model.edges.set(id, { id, from, to, kind: "feed" });
    }
  }
}

/** "failed with status 503, next try at 10:03:12"; `isShort`: "failed: 503". */
function upstreamWords({ state, dueAt, failure, status, retryAt }, isShort) {
  if (failure) {
    if (isShort) return status ? `failed: ${status}` : "failed";
    return `failed${status ? ` with status ${status}` : `: ${failure}`}, next try at ${formatTime(retryAt)}`;
  }
  return dueAt ? `${isShort ? "due" : "due at"} ${formatTime(dueAt)}` : state;
}
