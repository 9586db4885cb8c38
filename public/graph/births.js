// Births and deaths, as `topod` tells them, taken over by a model. Pure.
import { idOf } from "./model.js";

/** Takes `{add, del}` of a message over, and writes into `news` what is different. */
export function change(model, { add, del }, now, news) {
  // What stood under a name that another has now, by its number.
  const former = new Map();
  for (const told of add.nodes) {
    const id = idOf(told), before = model.nodes.get(id);
    // Of one that has been redefined its number is known; one that sleeps has none.
    if (told.n !== undefined && !model.ids.has(told.n)) news.born.push(id);
    if (before?.exists && before.n !== told.n) former.set(before.n, before);
    model.addNode(told, now);
    news.structure = true;
  }
  for (const edge of add.edges) {
    if (model.addEdge(edge)) news.structure = true;
    else news.queues.add(model.ids.get(edge.from));
  }
  for (const listener of add.listeners) {
    const known = model.listeners.get(listener.l);
    if (!known) news.joined.push(listener.l);
    if (!known || String(known.on) !== String(listener.on)) news.structure = true;
    model.addListener(listener);
    news.values.add(listener.l);
  }
  if (del.listeners.length || del.nodes.length) end(model, del, news, former);
  for (const edge of del.edges) news.structure = model.edges.delete(`e${edge}`) || news.structure;
}

function end(model, del, news, former) {
  news.structure = true;
  // Whoever shows how something goes away draws its edges.
  const cut = new Map([...del.listeners.map(({ l }) => [l, []]), ...del.nodes.map(({ n, name }) => [model.ids.get(n) ?? `n:${name}`, []])]);
  for (const { l, reason } of del.listeners) {
    const listener = model.listeners.get(l);
    if (model.listeners.delete(l)) news.left.push({ ...listener, reason, edges: cut.get(l) });
  }
  for (const death of del.nodes) bury(model, death, news, cut, former);
  for (const [key, edge] of model.edges) {
    const end = [edge.from, edge.to].find((id) => cut.has(id) && !model.nodes.get(id)?.exists);
    if (end === undefined) continue;
    model.edges.delete(key);
    cut.get(end).push(edge);
  }
}

function bury({ nodes, ids }, { n, name, reason, lived, last }, news, cut, former) {
  const id = ids.get(n) ?? `n:${name}`, present = nodes.get(id);
  ids.delete(n);
  // A declared name is no more; it may have slept.
  if (n === undefined) return void (present?.exists || nodes.delete(id));
  const node = former.get(n) ?? present;
  if (!node) return;
  const isReplaced = node !== present;
  news.died.push({ ...node, reason, lived, last, edges: isReplaced ? [] : cut.get(id) });
  if (isReplaced) return; // its successor has the name
  const { kind, title, unit, description, op, label, inputs, families, type, retain } = node;
  if (node.name === undefined || node.family || /removed|away/.test(reason)) nodes.delete(id);
  else nodes.set(id, { id, kind, name: node.name, title, unit, description, op, label, inputs, families, type, retain, exists: false, owners: [], ownerCount: 0, count: 0 });
}
