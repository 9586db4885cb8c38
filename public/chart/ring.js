// Points in time in arrays of fixed size: the newest `capacity` of them, and when nothing was heard. Pure.

export class Ring {
  #t; #v; #start = 0;
  length = 0;
  /** Spans of time in which nothing could be heard, oldest first: `{ from, to }`; `to` is Infinity while it lasts. */
  gaps = [];

  constructor(capacity) {
    this.#t = new Float64Array(capacity);
    this.#v = new Float64Array(capacity);
  }

  get capacity() { return this.#t.length; }
  #at(i) { return (this.#start + i) % this.capacity; }
  time(i) { return this.#t[this.#at(i)]; }
  value(i) { return this.#v[this.#at(i)]; }
  get first() { return this.length ? this.time(0) : undefined; }
  get last() { return this.length ? this.time(this.length - 1) : undefined; }

  /** Appends a point; NaN where there is no number. Time never goes back: a point of an earlier time counts as now. */
  push(t, v) {
    if (this.length && t < this.last) t = this.last;
    if (this.length < this.capacity) this.length++;
    else this.#start = (this.#start + 1) % this.capacity;
    const place = this.#at(this.length - 1);
    this.#t[place] = t;
    this.#v[place] = v;
  }

  clear() { this.length = this.#start = 0; this.gaps = []; }

  openGap(from) {
    if (this.gaps.at(-1)?.to !== Infinity) this.gaps.push({ from, to: Infinity });
    if (this.gaps.length > 64) this.gaps.shift();
  }

  closeGap(to) {
    const last = this.gaps.at(-1);
    if (last?.to === Infinity) last.to = Math.max(to, last.from);
  }

  /** Index of the first point at `t` or later; `length` when there is none. */
  index(t) {
    let low = 0, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time(middle) < t) low = middle + 1; else high = middle;
    }
    return low;
  }

  /** The value that holds at `t`: the newest one not later, or NaN. */
  at(t) {
    const next = this.index(t + 1e-9);
    return next ? this.value(next - 1) : NaN;
  }

  /** Least and greatest value that holds anywhere between `from` and `to`; null when none does. */
  extent(from, to) {
    let low = Infinity, high = -Infinity;
    for (let i = Math.max(0, this.index(from) - 1); i < this.length && this.time(i) <= to; i++) {
      const v = this.value(i);
      if (v < low) low = v;
      if (v > high) high = v;
    }
    return low <= high ? [low, high] : null;
  }

  /**
   * One entry for each pixel column that something happens in, as four numbers in `out`: column, least, greatest and last
   * value. A value holds until the next, so columns without an entry continue the last one. Gives the count of entries.
   */
  columns(from, to, width, out) {
    const scale = width / (to - from);
    let count = 0, column = -1, low = 0, high = 0, last = 0;
    const flush = () => {
      if (column < 0) return;
      out[4 * count] = column; out[4 * count + 1] = low; out[4 * count + 2] = high; out[4 * count + 3] = last;
      count++;
    };
    for (let i = Math.max(0, this.index(from) - 1); i < this.length; i++) {
      const t = this.time(i), v = this.value(i);
      if (t > to) break;
      const x = Math.max(0, Math.min(width - 1, Math.floor((t - from) * scale)));
      if (x === column && v === v && last === last) {
        if (v < low) low = v;
        if (v > high) high = v;
        last = v;
      } else if (x === column) {
        low = high = last = v;
      } else {
        flush();
        column = x;
        low = high = last = v;
      }
    }
    flush();
    return count;
  }
}
