// The order of the things in each column, for the first picture: median sweeps that keep the fewest crossings. Pure.

/** How many pairs of edges cross between two columns; `down[item]` lists the neighbours in the next column. */
function crossings(column, place, down) {
  const ends = [];
  for (const item of column) {
    const row = down[item].map((to) => place[to]).sort((a, b) => a - b);
    for (const to of row) ends.push(to);
  }
  // Inversions, counted with a Fenwick tree.
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

/** Orders every column of `columns` (lists of item numbers) in place of what it was; at most `sweeps` times. */
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
