// A layered picture of a graph: cycles taken out, longest paths, median sweeps. Pure; as a worker
// it answers `{id, graph, memory, options}`.
/** From `settle.js`, which is loaded with the second picture, once. */
let settle = null, loading = null;
export const remember = async () => ({ settle } = await (loading ??= import("./settle.js")));

/** CSS px at zoom 1. "Along" is the direction of the flow, "across" the other one. */
const defaults = {
  direction: "right", // or "down"
  node: [172, 50], // the largest
  columnGap: 60,
  gap: 24, // between two nodes of a column
  bendGap: 8, // around the bend of an edge: one fits between two nodes
  maxMeanMove: 3, // how far a newcomer may push the others on average
};

/**
 * Lays `{nodes: [{id, w, h}], edges: [{id, from, to, feedback?, span?}]}` out. With the `memory` of
 * the picture before, little moves.
 */
export function layout(graph, memory = null, options = {}) {
  const o = { ...defaults, ...options };
  if (memory && memory.direction !== o.direction) memory = null;
  const down = o.direction === "down";
  const nodes = graph.nodes;
  const index = new Map(nodes.map((node, i) => [node.id, i]));
  const edges = graph.edges.filter((e) => index.has(e.from) && index.has(e.to))
    .map((e) => ({ ...e, a: index.get(e.from), b: index.get(e.to) }));
  const out = nodes.map(() => []), into = nodes.map(() => []);
  edges.forEach((e, i) => { out[e.a].push(i); into[e.b].push(i); });

  const cycles = feedbackOf(nodes.length, edges, out, memory?.back);
  const { layer, alone } = layersOf(nodes, edges, out, into, cycles, memory?.layers);
  const items = makeItems(nodes, edges, layer, cycles.back, down, o);
  const columns = Map.groupBy([...items.key.keys()].sort((a, b) => items.layer[a] - items.layer[b] || a - b),
    (item) => items.layer[item]);
  if (memory && nodes.some((node) => memory.layers.has(node.id))) {
    settle(items, columns, memory, nodes.length, o);
  } else {
    const list = [...columns.values()].map((column) => column.filter((item) => !alone.has(item)));
    order(list, items.up, items.down);
    besideTheirNodes(items, list);
    straighten(items, list, o);
    gather(items, alone, o);
  }
  return result(nodes, edges, items, layer, cycles.back, down, o);
}

/**
 * The edges that lead back: those of before, so that a newcomer does not turn a ring round; then by
 * depth-first search.
 */
function feedbackOf(count, edges, out, remembered) {
  const back = new Set();
  edges.forEach((edge, i) => {
    if (edge.a === edge.b || edge.feedback || remembered?.has(edge.id)) back.add(i);
  });
  const fed = new Uint8Array(count);
  edges.forEach((edge, i) => { if (!back.has(i)) fed[edge.b] = 1; });
  const state = new Uint8Array(count); // 1 on the way down, 2 done
  const postorder = [];
  const descend = (start) => {
    const path = [[start, 0]];
    state[start] = 1;
    while (path.length) {
      const top = path[path.length - 1];
      const [node, next] = top;
      if (next === out[node].length) {
        state[node] = 2;
        postorder.push(node);
        path.pop();
        continue;
      }
      top[1]++;
      const i = out[node][next];
      if (back.has(i)) continue;
      const to = edges[i].b;
      if (state[to] === 1) back.add(i);
      else if (state[to] === 0) { state[to] = 1; path.push([to, 0]); }
    }
  };
  for (let i = 0; i < count; i++) if (!fed[i] && !state[i]) descend(i);
  for (let i = 0; i < count; i++) if (!state[i]) descend(i);
  return { back, order: postorder.reverse() };
}

/** The column of every node, the `remembered` one where the edges allow it. */
function layersOf(nodes, edges, out, into, { back, order }, remembered) {
  const layer = new Int32Array(nodes.length);
  const known = nodes.map((node) => remembered?.get(node.id));
  const span = (i) => Math.max(1, edges[i].span ?? 1);
  const forward = (list) => list.filter((i) => !back.has(i));
  const alone = [];
  for (const node of order) {
    const inputs = forward(into[node]);
    let least = known[node] ?? -Infinity;
    for (const i of inputs) least = Math.max(least, layer[edges[i].a] + (known[node] === undefined ? span(i) : 1));
    layer[node] = least === -Infinity ? 0 : least;
  }
  for (let k = order.length - 1; k >= 0; k--) {
    const node = order[k];
    if (known[node] !== undefined || forward(into[node]).length) continue;
    const outputs = forward(out[node]);
    if (!outputs.length) {
      if (!into[node].length && !out[node].length) alone.push(node);
      continue;
    }
    layer[node] = Math.min(...outputs.map((i) => layer[edges[i].b] - span(i)));
  }
  let first = 0, last = 0;
  for (const value of layer) { first = Math.min(first, value); last = Math.max(last, value); }
  const columns = Math.max(last - first + 1, Math.ceil(Math.sqrt(alone.length)));
  alone.sort((a, b) => a - b).forEach((node, i) => { layer[node] = first + (i % columns); });
  return { layer, alone: new Set(alone) };
}

/** Pairs of edges that cross: the steps of sorting their ends by insertion. */
function crossings(column, place, down) {
  const ends = [];
  let count = 0;
  for (const item of column) {
    for (const end of down[item].map((to) => place[to]).sort((a, b) => a - b)) {
      let at = ends.length;
      while (at && ends[at - 1] > end) at--;
      count += ends.length - at;
      ends.splice(at, 0, end);
    }
  }
  return count;
}

function median(item, neighbours, place) {
  const at = neighbours[item].map((other) => place[other]).sort((a, b) => a - b);
  if (!at.length) return place[item];
  const middle = at.length >> 1;
  return at.length % 2 ? at[middle] : (at[middle - 1] + at[middle]) / 2;
}

function order(columns, up, down, sweeps = 10) {
  const place = new Int32Array(up.length);
  const number = (column) => column.forEach((item, i) => { place[item] = i; });
  columns.forEach(number);
  const count = () => {
    let sum = 0;
    for (let i = 0; i + 1 < columns.length; i++) sum += crossings(columns[i], place, down);
    return sum;
  };
  let best = columns.map((column) => [...column]);
  let fewest = count();
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const forward = sweep % 2 === 0;
    const sequence = forward ? columns.keys() : [...columns.keys()].reverse();
    for (const c of sequence) {
      const neighbours = forward ? up : down;
      const wish = new Map(columns[c].map((item) => [item, median(item, neighbours, place)]));
      columns[c].sort((a, b) => wish.get(a) - wish.get(b) || place[a] - place[b]);
      number(columns[c]);
    }
    const crossed = count();
    if (crossed < fewest) {
      fewest = crossed;
      best = columns.map((column) => [...column]);
    }
  }
  best.forEach((column, i) => { columns[i] = column; });
}

/** Nodes and the bends of long edges, as numbered items; `at` is the middle of each, across. */
function makeItems(nodes, edges, layer, back, down, o) {
  const size = nodes.map((node) => (down ? node.w : node.h));
  const items = {
    key: nodes.map((node) => node.id), layer: [...layer], size, count: nodes.length,
    up: nodes.map(() => []), down: nodes.map(() => []), bends: new Map(), beside: new Map(),
  };
  // A bend is known by what its edge joins: the edge of a node that wakes up runs where it ran in
  // its sleep.
  const seen = new Map();
  const bend = (edge, at) => {
    const name = `${edge.from}\n${edge.to}\n${at}`;
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    items.key.push(`${name}\n${nth}`);
    items.layer.push(at);
    items.size.push(8);
    items.up.push([]);
    items.down.push([]);
    return items.key.length - 1;
  };
  const join = (p, q) => { items.down[p].push(q); items.up[q].push(p); };
  edges.forEach((edge, i) => {
    if (edge.a === edge.b) return;
    const isBack = back.has(i), [from, to] = isBack ? [edge.b, edge.a] : [edge.a, edge.b], bends = [];
    // Columns from the memory may leave no room for the bends of a way back.
    for (let at = layer[from] + !isBack; at <= layer[to] - !isBack; at++) bends.push(bend(edge, at));
    if (isBack && bends.length) items.beside.set(bends[0], from).set(bends.at(-1), to);
    const way = isBack ? bends : [from, ...bends, to];
    for (let k = 0; k + 1 < way.length; k++) join(way[k], way[k + 1]);
    items.bends.set(i, bends);
  });
  items.at = new Float64Array(items.key.length).fill(NaN);
  return items;
}

export function apart(items, p, q, o) {
  const gap = p < items.count && q < items.count ? o.gap : o.bendGap;
  return (items.size[p] + items.size[q]) / 2 + gap;
}

function straighten(items, list, o) {
  for (const column of list) {
    let at = 0;
    column.forEach((item, k) => {
      if (k) at += apart(items, column[k - 1], item, o);
      items.at[item] = at;
    });
    for (const item of column) items.at[item] -= at / 2;
  }
  for (let sweep = 0; sweep < 8; sweep++) {
    const sequence = sweep % 2 === 0 ? list : [...list].reverse();
    for (const column of sequence) {
      const wish = column.map((item) => {
        const owner = items.beside.get(item);
        if (owner !== undefined) return items.at[owner] + items.size[owner] / 2 + o.bendGap + 4;
        const near = sweep % 2 === 0 ? items.up[item] : items.down[item];
        const both = near.length && sweep < 6 ? near : [...items.up[item], ...items.down[item]];
        return both.length ? both.reduce((sum, other) => sum + items.at[other], 0) / both.length : items.at[item];
      });
      spread(items, column, wish, column.map((item) => (item < items.count ? 1 : 4)), o);
    }
  }
}

function gather(items, alone, o) {
  let bottom = -Infinity;
  items.at.forEach((at, item) => { if (!alone.has(item)) bottom = Math.max(bottom, at + items.size[item] / 2); });
  const last = new Map();
  for (const item of alone) {
    const before = last.get(items.layer[item]);
    items.at[item] = before !== undefined ? items.at[before] + apart(items, before, item, o)
      : bottom === -Infinity ? 0 : bottom + 2 * o.gap + items.size[item] / 2;
    last.set(items.layer[item], item);
  }
}

/** The places nearest to `wish` that keep order and distance: pool adjacent violators. */
export function spread(items, column, wish, weight, o) {
  const blocks = [], mean = ({ sum, weight }) => sum / weight;
  let offset = 0, k = 0;
  const offsets = column.map((item, i) => (offset += i && apart(items, column[i - 1], item, o)));
  offsets.forEach((least, i) => {
    let block = { sum: (wish[i] - least) * weight[i], weight: weight[i], count: 1 };
    while (blocks.length && mean(blocks.at(-1)) >= mean(block)) {
      const before = blocks.pop();
      block = { sum: before.sum + block.sum, weight: before.weight + block.weight, count: before.count + block.count };
    }
    blocks.push(block);
  });
  for (const block of blocks) for (const end = k + block.count; k < end; k++) items.at[column[k]] = mean(block)
    + offsets[k];
}

function result(nodes, edges, items, layer, back, down, o) {
  const pitch = (down ? o.node[1] : o.node[0]) + o.columnGap;
  const boxes = nodes.map(({ w, h }, i) => {
    const across = items.at[i] - items.size[i] / 2, along = layer[i] * pitch;
    return { x: down ? across : along, y: down ? along : across, w, h, layer: layer[i] };
  });
  const routes = routesOf(nodes, edges, items, layer, back, down, pitch, o);
  let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
  for (const { x, y, w, h } of boxes) {
    left = Math.min(left, x); right = Math.max(right, x + w);
    top = Math.min(top, y); bottom = Math.max(bottom, y + h);
  }
  // Ways lead past columns on either side of what stands in them.
  for (const { span: [low, high] } of routes.values()) {
    if (down) [left, right] = [Math.min(left, low), Math.max(right, high)];
    else [top, bottom] = [Math.min(top, low), Math.max(bottom, high)];
  }
  const memory = {
    direction: o.direction, layers: new Map(nodes.map((node, i) => [node.id, layer[i]])),
    places: new Map(items.key.map((key, i) => [key, { at: items.at[i], layer: items.layer[i] }])),
    back: new Set(edges.filter((edge, i) => back.has(i) && edge.a !== edge.b).map((edge) => edge.id)),
  };
  return { nodes: new Map(nodes.map(({ id }, i) => [id, boxes[i]])), edges: routes,
    bounds: nodes.length ? { x: left, y: top, w: right - left, h: bottom - top } : { x: 0, y: 0, w: 0, h: 0 }, memory };
}

function portsOf(edges, items, back, into) {
  const port = new Float64Array(edges.length);
  for (const list of into) {
    const forward = list.filter((i) => !back.has(i));
    const from = (i) => items.at[items.bends.get(i).at(-1) ?? edges[i].a];
    forward.sort((p, q) => from(p) - from(q) || p - q);
    if (!forward.length) continue;
    const step = Math.min(9, (items.size[edges[forward[0]].b] - 20) / Math.max(1, forward.length - 1));
    forward.forEach((i, k) => { port[i] = (k - (forward.length - 1) / 2) * step; });
  }
  return port;
}

function routesOf(nodes, edges, items, layer, back, down, pitch, o) {
  const into = nodes.map(() => []);
  edges.forEach((edge, i) => into[edge.b].push(i));
  const port = portsOf(edges, items, back, into);
  const length = (i) => (down ? nodes[i].h : nodes[i].w);
  const round = (x) => Math.round(x * 10) / 10;
  const point = ([along, across]) => (down ? `${round(across)},${round(along)}` : `${round(along)},${round(across)}`);
  const routes = new Map();
  edges.forEach(({ id, a, b }, i) => {
    const way = []; // a point, and then two control points before each
    let kind = "forward";
    const curve = (along, across) => {
      const [x, y] = way[way.length - 1];
      const pull = Math.max(16, Math.abs(along - x) / 2);
      way.push([x + pull, y], [along - pull, across], [along, across]);
    };
    if (back.has(i)) {
      kind = a === b ? "self" : "feedback";
      const bends = items.bends.get(i)?.map((bend) =>
        [items.layer[bend] * pitch + pitch / 2 - o.columnGap / 2, items.at[bend]]);
      const side = (node) => ({ along: layer[node] * pitch, length: length(node), at: items.at[node],
        half: items.size[node] / 2 });
      a === b ? loop(way, side(a), down) : wayBack(way, side(a), side(b), bends);
    } else {
      way.push([layer[a] * pitch + length(a), items.at[a]]);
      for (const bend of items.bends.get(i)) {
        const along = items.layer[bend] * pitch, across = items.at[bend];
        curve(along, across);
        way.push([along + 8, across], [along + pitch - o.columnGap - 8, across], [along + pitch - o.columnGap, across]);
      }
      curve(layer[b] * pitch, items.at[b] + port[i]);
    }
    const d = `M${point(way[0])}` + way.slice(1).map((p, k) => (k % 3 ? " " : "C") + point(p)).join("");
    const [m, n] = way.length > 4 ? [way[3], way[way.length - 4]] : [way[0], way[way.length - 1]];
    const centre = [(m[0] + n[0]) / 2, (m[1] + n[1]) / 2];
    const across = way.map((p) => p[1]);
    routes.set(id, { d, kind, middle: down ? [centre[1], centre[0]] : centre,
      span: [Math.min(...across), Math.max(...across)] });
  });
  return routes;
}

function besideTheirNodes(items, list) {
  for (const [bend, node] of items.beside) {
    const column = list.find((c) => c.includes(node));
    column.splice(column.indexOf(bend), 1);
    column.splice(column.indexOf(node) + 1, 0, bend);
  }
}

function loop(way, { along, length, at, half }, down) {
  const x = along + length * 0.7, y = at - half;
  way.push([x, y], [x + 4, y - 22], [x + 34, y - 22], [x + 26, y]);
  if (down) way.forEach((p) => { p[1] = at + half + (y - p[1]); });
}

/** Down out of the node, along the lane of its bends, up into the other. */
function wayBack(way, from, to, bends) {
  const under = ({ at, half }) => at + half;
  const start = from.along + from.length * 0.66, stop = to.along + to.length * 0.34, lane = [...bends].reverse();
  const first = lane[0]?.[1] ?? Math.max(under(from), under(to)) + 18;
  const last = lane.at(-1)?.[1] ?? first;
  way.push([start, under(from)], [start, under(from) + 6], [start, first], [start - 22, first]);
  let [x, y] = [start - 22, first];
  for (const [along, across] of lane.slice(1, -1)) {
    const middle = (x + along) / 2;
    way.push([middle, y], [middle, across], [along, across]);
    [x, y] = [along, across];
  }
  const middle = (x + stop + 22) / 2;
  way.push([middle, y], [middle, last], [stop + 22, last], [stop, last], [stop, under(to) + 10], [stop, under(to)]);
}

/** The picture that fits better into a room: left to right, or top to bottom. */
export function fittingLayout(graph, memory, { direction, room, ...options }) {
  const laid = (direction) => layout(graph, memory, { ...options, direction, columnGap: direction === "down" ? 48 : 64 });
  if (direction) return laid(direction);
  const fit = ({ bounds: { w, h } }) => Math.min(1, room.w / Math.max(w, 1), room.h / Math.max(h, 1));
  const right = laid("right"), down = fit(right) < 0.85 ? laid("down") : right;
  return fit(down) > 1.2 * fit(right) ? down : right;
}

if (!globalThis.document) addEventListener("message", async ({ data: { id, graph, memory, options } }) => {
  try {
    if (memory && !settle) await remember();
    postMessage({ id, picture: fittingLayout(graph, memory, options) });
  } catch {
    loading = null;
    postMessage({ id });
  }
});
