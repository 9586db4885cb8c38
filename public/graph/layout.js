// A layered picture of a graph: where every node stands and how every edge runs. Pure.
import { feedbackOf, layersOf, order } from "./layers.js";

/** CSS px at zoom 1. "Along" is the direction of the flow, "across" the other one. */
export const defaults = {
  direction: "right", // or "down"
  node: [172, 50], // the largest
  columnGap: 60,
  gap: 24, // between two nodes of a column
  bendGap: 8, // around the bend of an edge: one fits between two nodes
  maxMeanMove: 3, // how far a newcomer may push the others on average
};

/**
 * Lays `{nodes: [{id, w, h}], edges: [{id, from, to, feedback?, span?}]}` out. With the `memory` of the picture before, and
 * `settle.js` as `later`, little moves.
 */
export function layout(graph, memory = null, options = {}, later = null) {
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
  const columns = columnsOf(items);
  if (memory && nodes.some((node) => memory.layers.has(node.id))) {
    later.settle(items, columns, memory, nodes.length, o);
  } else {
    const list = [...columns.values()].map((column) => column.filter((item) => !alone.has(item)));
    order(list, items.up, items.down);
    besideTheirNodes(items, list);
    straighten(items, list, o);
    gather(items, alone, o);
  }
  return result(nodes, edges, items, layer, cycles.back, down, o);
}

/** Nodes and the bends of long edges, as numbered items; `at` is the middle of each, across. */
function makeItems(nodes, edges, layer, back, down, o) {
  const size = nodes.map((node) => (down ? node.w : node.h));
  const items = {
    key: nodes.map((node) => node.id), layer: [...layer], size, count: nodes.length,
    at: new Float64Array(0), up: nodes.map(() => []), down: nodes.map(() => []), bends: new Map(), beside: new Map(),
  };
  // A bend is known by what its edge joins: the edge of a node that wakes up runs where it ran in its sleep.
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
    const isBack = back.has(i);
    const [from, to] = isBack ? [edge.b, edge.a] : [edge.a, edge.b];
    const bends = [];
    if (layer[from] > layer[to]) { // a way back between columns that the memory holds
      items.bends.set(i, { bends, isBack, flat: true });
      return;
    }
    // A way back leaves and enters beside its ends, not among the other edges.
    const first = isBack ? layer[from] : layer[from] + 1;
    const last = isBack ? layer[to] : layer[to] - 1;
    for (let at = first; at <= last; at++) bends.push(bend(edge, at));
    if (isBack) {
      items.beside.set(bends[0], from);
      items.beside.set(bends[bends.length - 1], to);
      for (let k = 0; k + 1 < bends.length; k++) join(bends[k], bends[k + 1]);
    } else {
      const way = [from, ...bends, to];
      for (let k = 0; k + 1 < way.length; k++) join(way[k], way[k + 1]);
    }
    items.bends.set(i, { bends, isBack });
  });
  items.at = new Float64Array(items.key.length).fill(NaN);
  return items;
}

function columnsOf(items) {
  const columns = new Map();
  const sequence = [...items.key.keys()].sort((a, b) => items.layer[a] - items.layer[b] || a - b);
  for (const item of sequence) {
    const column = columns.get(items.layer[item]);
    column ? column.push(item) : columns.set(items.layer[item], [item]);
  }
  return columns;
}

/** How far apart the middles of two neighbours are at least. */
export function apart(items, p, q, o) {
  const gap = p < items.count && q < items.count ? o.gap : o.bendGap;
  return (items.size[p] + items.size[q]) / 2 + gap;
}

/** Ways back begin and end right below their nodes. */
function besideTheirNodes(items, list) {
  for (const [bend, node] of items.beside) {
    const column = list.find((c) => c.includes(node));
    column.splice(column.indexOf(bend), 1);
    column.splice(column.indexOf(node) + 1, 0, bend);
  }
}

/** As near to the neighbours as the spacing allows, in sweeps. */
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

/** Nodes without edges stand below the rest. */
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
  const blocks = [];
  let offset = 0;
  column.forEach((item, k) => {
    if (k) offset += apart(items, column[k - 1], item, o);
    let block = { sum: (wish[k] - offset) * weight[k], weight: weight[k], from: k };
    while (blocks.length && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].weight >= block.sum / block.weight) {
      const before = blocks.pop();
      block = { sum: before.sum + block.sum, weight: before.weight + block.weight, from: before.from };
    }
    blocks.push(block);
  });
  blocks.push({ from: column.length });
  let b = 0;
  offset = 0;
  column.forEach((item, k) => {
    if (k) offset += apart(items, column[k - 1], item, o);
    if (blocks[b + 1].from === k) b++;
    items.at[item] = blocks[b].sum / blocks[b].weight + offset;
  });
}

function result(nodes, edges, items, layer, back, down, o) {
  const pitch = (down ? o.node[1] : o.node[0]) + o.columnGap;
  const placed = new Map();
  let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
  nodes.forEach((node, i) => {
    const across = items.at[i] - items.size[i] / 2;
    const along = layer[i] * pitch;
    const box = { x: down ? across : along, y: down ? along : across, w: node.w, h: node.h, layer: layer[i] };
    placed.set(node.id, box);
    left = Math.min(left, box.x); right = Math.max(right, box.x + box.w);
    top = Math.min(top, box.y); bottom = Math.max(bottom, box.y + box.h);
  });
  const routes = routesOf(nodes, edges, items, layer, back, down, pitch, o);
  for (const { lowest } of routes.values()) down ? (right = Math.max(right, lowest)) : (bottom = Math.max(bottom, lowest));
  const memory = { direction: o.direction, layers: new Map(), places: new Map(), back: new Set() };
  nodes.forEach((node, i) => memory.layers.set(node.id, layer[i]));
  items.key.forEach((key, i) => memory.places.set(key, { at: items.at[i], layer: items.layer[i] }));
  edges.forEach((edge, i) => { if (back.has(i) && edge.a !== edge.b) memory.back.add(edge.id); });
  const bounds = nodes.length ? { x: left, y: top, w: right - left, h: bottom - top } : { x: 0, y: 0, w: 0, h: 0 };
  return { nodes: placed, edges: routes, bounds, memory };
}

/** Several edges share the side they enter, in the order of where they come from. */
function portsOf(edges, items, back, into) {
  const port = new Float64Array(edges.length);
  for (const list of into) {
    const forward = list.filter((i) => !back.has(i));
    const from = (i) => { const { bends } = items.bends.get(i); return items.at[bends.length ? bends[bends.length - 1] : edges[i].a]; };
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
  const point = ([along, across]) => (down ? `${round(across)},${round(along)}` : `${round(along)},${round(across)}`);
  const routes = new Map();
  edges.forEach((edge, i) => {
    const { a, b } = edge;
    const way = []; // a point, and then two control points before each
    let kind = "forward", lowest = -Infinity;
    const curve = (along, across) => {
      const [x, y] = way[way.length - 1];
      const pull = Math.max(16, Math.abs(along - x) / 2);
      way.push([x + pull, y], [along - pull, across], [along, across]);
    };
    if (a === b) {
      kind = "self";
      const x = layer[a] * pitch + length(a) * 0.7, y = items.at[a] - items.size[a] / 2;
      way.push([x, y], [x + 4, y - 22], [x + 34, y - 22], [x + 26, y]);
      if (down) way.forEach((p) => { p[1] = items.at[a] + items.size[a] / 2 + (y - p[1]); });
      lowest = items.at[a] + items.size[a] / 2 + (down ? 22 : 0);
    } else if (back.has(i)) {
      kind = "feedback";
      const under = (node) => items.at[node] + items.size[node] / 2;
      const { bends } = items.bends.get(i);
      const start = layer[a] * pitch + length(a) * 0.66, stop = layer[b] * pitch + length(b) * 0.34;
      const lane = [...bends].reverse().map((bend) => [items.layer[bend] * pitch + pitch / 2 - o.columnGap / 2, items.at[bend]]);
      const first = lane[0]?.[1] ?? Math.max(under(a), under(b)) + 18;
      const last = lane[lane.length - 1]?.[1] ?? first;
      // Down out of the node, along the lane, up into the other.
      way.push([start, under(a)], [start, under(a) + 6], [start, first], [start - 22, first]);
      let [x, y] = [start - 22, first];
      for (const [along, across] of lane.slice(1, -1)) {
        const middle = (x + along) / 2;
        way.push([middle, y], [middle, across], [along, across]);
        [x, y] = [along, across];
      }
      const middle = (x + stop + 22) / 2;
      way.push([middle, y], [middle, last], [stop + 22, last], [stop, last], [stop, under(b) + 10], [stop, under(b)]);
      lowest = Math.max(first, last, ...lane.map((p) => p[1]));
    } else {
      way.push([layer[a] * pitch + length(a), items.at[a]]);
      for (const bend of items.bends.get(i).bends) {
        const along = items.layer[bend] * pitch, across = items.at[bend];
        curve(along, across);
        way.push([along + 8, across], [along + pitch - o.columnGap - 8, across], [along + pitch - o.columnGap, across]);
      }
      curve(layer[b] * pitch, items.at[b] + port[i]);
    }
    const d = `M${point(way[0])}` + way.slice(1).map((p, k) => (k % 3 ? " " : "C") + point(p)).join("");
    const [m, n] = way.length > 4 ? [way[3], way[way.length - 4]] : [way[0], way[way.length - 1]];
    const centre = [(m[0] + n[0]) / 2, (m[1] + n[1]) / 2];
    routes.set(edge.id, { d, kind, middle: down ? [centre[1], centre[0]] : centre, lowest });
  });
  return routes;
}

const round = (x) => Math.round(x * 10) / 10;
