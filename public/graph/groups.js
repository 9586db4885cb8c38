// Groups by the beginning of the name, for graphs that are too large to be drawn whole. Pure.
/**
 * How much is shown around the selection, how many groups there are, how much of opened ones is
 * drawn, and above how many members an opened group shows smaller ones.
 */
const limits = { near: 60, groups: 60, open: 400, split: 60 };

/** The first parts of a name, without the marks between them: letters, or digits. */
export function prefixOf(name, parts = 1) {
  let found = "";
  for (const [part] of name.matchAll(/[._\-/:]+|\d+|[^._\-/:\d]+/gu)) {
    const isMark = /^[._\-/:]/.test(part);
    if (!isMark && parts-- === 0) break;
    found += part;
  }
  return found.replace(/[._\-/:]+$/, "") || name.slice(0, 1);
}

/** The group that an entry is in; a larger `depth` makes smaller groups. */
export function groupOf(entry, depth = 1) {
  if (entry.kind === "listener") return `clients: ${prefixOf(entry.client ?? entry.transport ?? "?", depth)}`;
  if (entry.kind === "upstream") return "upstreams";
  const name = entry.name ?? entry.of;
  return name === undefined ? "pipelines of clients" : prefixOf(name, depth);
}

/** The selection and some of what stands around it: it is always drawn. */
export function near(model, entries, view) {
  const found = new Set([view.selected, view.focus?.id].filter((id) => entries.has(id)));
  const { into, out } = model.neighbours();
  let ring = found;
  for (let hops = 0; hops < 3; hops++) {
    const next = new Set();
    for (const id of ring) {
      for (const { from, to } of [...(into.get(id) ?? []), ...(out.get(id) ?? [])]) {
        const end = from === id ? to : from;
        if (found.size + next.size < limits.near && entries.has(end) && !found.has(end)) next.add(end);
      }
    }
    for (const id of next) found.add(id);
    ring = next;
  }
  return found;
}

/** One box for each beginning of a name; opened groups show their members, or smaller groups. */
export function cluster(list, near, view, of, groups) {
  const isClient = list[0].kind === "listener";
  const add = (key, label, members) => {
    groups.set(`g ${key}`, { label: label.replace("clients: ", ""), members: members.map(({ id }) => id), isClient });
    for (const { id } of members) of.set(id, `g ${key}`);
  };
  const rest = [], open = [];
  let room = limits.open;
  const split = (members, depth) => open.push(...[...Map.groupBy(members, (entry) => groupOf(entry, depth))]
    .map(([key, all]) => [key, all, depth]));
  split(list.filter(({ id }) => !near.has(id)), 1);
  // What was opened last is drawn whole.
  const opened = [...view.open], turn = ([key]) => opened.indexOf(`g ${key}`);
  open.sort((a, b) => turn(b) - turn(a) || b[1].length - a[1].length);
  const isFew = open.length <= limits.groups;
  for (let i = 0; i < open.length; i++) {
    const [key, members, depth] = open[i];
    if (members.length === 1 && (isFew || depth > 1)) continue;
    if (!view.open.has(`g ${key}`)) {
      groups.size < limits.groups ? add(key, key, members) : rest.push(...members);
      continue;
    }
    const parts = members.length > limits.split && [2, 3, 4].map((more) => depth + more - 1)
      .find((more) => new Set(members.map((entry) => groupOf(entry, more))).size > 1);
    if (parts && new Set(members.map((entry) => groupOf(entry, parts))).size < members.length / 2) split(members, parts);
    else {
      if (members.length > room) add(`${key} …`, `${key} …`, members.slice(room));
      room = Math.max(0, room - members.length);
    }
  }
  if (rest.length) add(isClient ? "clients: …" : "…", "others", rest);
}

/** The rows of the outline: folds of names that begin alike, and in large ones smaller folds. */
export function inFolds(model, list, { fold, leaf, crowd }, level = 1, depth = 1) {
  const groups = [...Map.groupBy(list, (id) => groupOf(model.nodes.get(id) ?? model.listeners.get(id), depth))]
    .sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true }));
  const inside = (ids, level) => inFolds(model, ids, { fold, leaf, crowd }, level, depth + 1);
  if (groups.length === 1 && list.length > crowd && depth < 6) return inside(list, level);
  groups.forEach(([label, members], i) => {
    if (members.length === 1) return leaf(members[0], level, undefined, i + 1, groups.length);
    if (!fold(label, members, level, i + 1, groups.length).isOpen) return;
    if (members.length > crowd && depth < 6) inside(members, level + 1);
    else members.forEach((id, k) => leaf(id, level + 1, `g ${label}`, k + 1, members.length));
  });
}
