// Families of nodes: each is one node of the picture, which stands for its members. Loaded with the
// first of them. Pure.
import { plural } from "../lib/format.js";

const escaped = (text) => text.replace(/[.-]/g, "\\$&");
const placeholder = /\{\w+\}/g;

const fits = (family, name) =>
  new RegExp(`^${family.split(placeholder).map(escaped).join("[\\w-]{1,64}")}$`).test(name);

/** Of families, the one of that member, or of that name with placeholders. */
export function familyOf(families, name) {
  const plain = name.replace(placeholder, "x");
  return families.find((each) => fits(each.name, plain));
}

/** Replaces the families of the model by the present ones. */
export function gather(model, told, news) {
  const before = String(model.families.map(({ id }) => id)), { nodes } = model;
  for (const { id } of model.families) nodes.delete(id);
  model.families = told.map(({ name, kind: word, ...rest }) =>
    ({ ...rest, id: `n:${name}`, name, word, kind: "family", exists: true, owners: [], ownerCount: 0, count: 0,
      rate: 0 }));
  for (const each of model.families) {
    nodes.set(each.id, each);
    news.values.add(each.id);
  }
  news.structure ||= before !== String(model.families.map(({ id }) => id));
}

/** Nodes made from hidden members, and listeners to them, are linked to the family. */
export function link(model) {
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

/** "2 families with 1,987 members". */
export function words(families) {
  const members = families.reduce((sum, each) => sum + each.members, 0).toLocaleString("en");
  return families.length > 0
    && `${plural(families.length, "family", "families")} with ${members} member${members === "1" ? "" : "s"}`;
}
