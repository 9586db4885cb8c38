// Which column a node stands in, and the order within: cycles taken out, longest paths, median sweeps. Pure.

/**
 * The edges that lead back: those of before, so that a newcomer does not turn a ring round; what the server flags; and what
 * depth-first search finds from the nodes that nothing flows into.
 */
export function feedbackOf(count, edges, out, remembered) {
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

/**
 * The column of every node, the `remembered` one where the edges allow it. What nothing flows into stands next to the first
 * that needs it; nodes without edges are dealt out over the columns there are.
 */
export function layersOf(nodes, edges, out, into, { back, order }, remembered) {
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

/** How many pairs of edges cross between two columns. */
function crossings(column, place, down) {
  const ends = [];
  for (const item of column) {
    const row = down[item].map((to) => place[to]).sort((a, b) => a - b);
    for (const to of row) ends.push(to);
  }
  // Inversions, by a Fenwick tree.
  let size = 1;
  for (const end of ends) size = Math.max(size, end + 1);
  const tree = new Uint32Array(size + 1);
  let count = 0;
  for (let i = ends.length - 1; i >= 0; i--) {
    for (let k = ends[i]; k > 0; k -= k & -k) count += tree[k];
    for (let k = ends[i] + 1; k <= size; k += k & -k) tree[k]++;
  }
  return count;
}

function median(item, neighbours, place) {
  const at = neighbours[item].map((other) => place[other]).sort((a, b) => a - b);
  if (!at.length) return place[item];
  const middle = at.length >> 1;
  return at.length % 2 ? at[middle] : (at[middle - 1] + at[middle]) / 2;
}

/** Orders the items of every column, in place. */
export function order(columns, up, down, sweeps = 10) {
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
  return fewest;
}
