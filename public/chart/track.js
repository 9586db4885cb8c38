// A series as it is drawn: steps of time that the server keeps, then single values as they came, at
// most one vertex for each pixel. Pure.

const numberOf = (value) => (/number|bigint|boolean/.test(typeof value) ? Number(value) : NaN);

/** An answer of the history by time, in columns. */
export class Steps {
  /** A pause that is longer than the usual ones between two steps, in milliseconds. */
  pause = Infinity;

  constructor({ d, step, since, end }) {
    Object.assign(this, { step, since, end, length: d.length });
    const column = (of) => Float64Array.from(d, of);
    this.times = column(({ t }) => t);
    this.last = column(({ v }) => numberOf(v));
    this.low = column(({ v, min = numberOf(v) }) => min);
    this.high = column(({ v, max = numberOf(v) }) => max);
    this.mean = column(({ v, mean = numberOf(v) }) => mean);
    const pauses = this.times.map((t, i) => (i ? t - this.times[i - 1] : 0)).sort();
    // Nine of ten steps come sooner.
    if (d.length >= 20) this.pause = 3 * pauses[Math.floor(0.9 * d.length)];
  }

  time(i) { return this.times[i]; }
}

/** The index of the last of `points` at or before `t`; -1 if there is none. */
function lastAt(points, t) {
  let low = 0, high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points.time(middle) <= t) low = middle + 1; else high = middle;
  }
  return low - 1;
}

export class Track {
  /** The steps before the first single value; null until they are known. */
  kept = null;
  /** How many vertices there are, and the least and the greatest value among them, or null. */
  length = 0; extent = null;
  #size = 0; #x; #low; #high; #line; #ends; #starts; #pass;

  /**
   * `isStepped`: a value holds until the next one, as that of a setting. `fresh`: for so many
   * milliseconds it counts when no other comes. `reports`: it is measured again and again, so a
   * long time without a step is a gap.
   */
  constructor(ring, { isStepped = false, fresh = Infinity, reports = false } = {}) {
    Object.assign(this, { ring, isStepped, fresh, reports });
  }

  /** How long a value of a step counts. */
  get #patience() { return this.reports ? Math.min(this.fresh, this.kept.pause) : this.fresh; }

  /** Where single values begin. */
  get #border() { return this.ring.length ? this.ring.time(0) : Infinity; }

  /** From when on everything is known; Infinity while nothing is. */
  get since() { return Math.min(this.kept?.since ?? Infinity, this.#border); }

  #make(width) {
    if (this.#size >= width + 8) return;
    this.#size = width + 8;
    [this.#x, this.#low, this.#high, this.#line, this.#ends] =
      Array.from({ length: 5 }, () => new Float64Array(this.#size));
    this.#starts = new Uint8Array(this.#size);
  }

  /** Prepares what is drawn from `from` to `to` on `width` pixels. */
  layOut(from, to, width) {
    this.#make(width);
    const { ring, kept, isStepped } = this, border = this.#border;
    const pass = this.#pass = {
      from, to, scale: width / (to - from), fresh: this.fresh, startsNew: true, cutAt: NaN, before: NaN, valueBefore: 0,
      n: 0, at: NaN, limit: 0, low: 0, high: 0, sum: 0, last: 0, until: NaN, least: Infinity, greatest: -Infinity,
    };
    this.length = 0;
    // A line goes on to the first value after the end.
    const end = (points, t) => Math.min(points.length, lastAt(points, t) + (isStepped ? 1 : 2));
    if (kept && from < border) {
      const { times, low, high, mean, last } = kept, half = kept.step / 2;
      pass.fresh = this.#patience;
      const first = Math.max(0, lastAt(kept, from - half)), most = Math.min(end(kept, to - half), lastAt(kept, border - 1) + 1);
      const values = isStepped ? last : mean;
      this.#take(times, low, high, values, last, first, most - 1, half, half);
      // Single values may begin within the last one.
      if (most > 0) this.#take(times, low, high, values, last, most - 1, most, Math.min(half, border - times[most - 1]), half);
    }
    const first = Math.max(0, lastAt(ring, from));
    for (const [times, values, a, b] of ring.parts(first, end(ring, to))) {
      this.#take(times, values, values, values, values, a, b, 0, 0);
    }
    if (pass.cutAt === pass.cutAt) this.#hold(pass.cutAt);
    else if (pass.at <= to) this.#hold(pass.until + pass.fresh);
    else this.#flush();
    this.extent = pass.least <= pass.greatest ? [pass.least, pass.greatest] : null;
  }

  /** Takes values into columns of a pixel; all that is done for each of them is in this loop. */
  #take(times, lows, highs, values, lasts, first, end, shift, half) {
    const pass = this.#pass, { scale } = pass;
    let { n, limit, low, high, sum, last, until, cutAt, fresh } = pass;
    for (let i = first; i < end; i++) {
      const t = times[i] + shift, v = values[i];
      if (v !== v) {
        if (cutAt !== cutAt) cutAt = until === until ? Math.min(t, until + fresh) : t;
        continue;
      }
      if (t - until > fresh && cutAt !== cutAt) cutAt = until + fresh;
      if (n && t < limit) {
        if (lows[i] < low) low = lows[i];
        if (highs[i] > high) high = highs[i];
        sum += v;
        n++;
        cutAt = NaN;
      } else {
        Object.assign(pass, { n, limit, low, high, sum, last, until });
        if (cutAt === cutAt) this.#hold(cutAt); else this.#flush();
        if (cutAt === cutAt) pass.startsNew = true;
        // Cut at multiples of their length, columns of a picture that moves do not flicker.
        [n, limit, low, high, sum, cutAt] = [1, (Math.floor(t * scale) + 1) / scale, lows[i], highs[i], v, NaN];
        pass.at = t;
      }
      last = lasts[i];
      until = t + half;
      // Steps may be followed by single values.
      if (!half) fresh = this.fresh;
    }
    Object.assign(pass, { n, limit, low, high, sum, last, until, cutAt, fresh });
  }

  #note(v) {
    const pass = this.#pass;
    if (v < pass.least) pass.least = v;
    if (v > pass.greatest) pass.greatest = v;
  }

  /** The column that is full becomes a vertex. */
  #flush() {
    const pass = this.#pass, { n, at, limit, low, high, from, to, scale, before, valueBefore } = pass;
    if (!n) return;
    const value = this.isStepped ? pass.last : pass.sum / n, isJoined = !pass.startsNew && !this.isStepped;
    const t = n > 1 ? limit - 0.5 / scale : this.isStepped ? Math.max(at, from) : at;
    // Of a line that comes from outside or goes there only what is seen counts.
    const cross = (edge) => this.#note(valueBefore + (value - valueBefore) * (edge - before) / (t - before));
    if (isJoined && t > to) cross(to);
    if (isJoined && before < from && t > from) cross(from);
    if ((n > 1 ? limit > from : t >= from) && at <= to) { this.#note(low); this.#note(high); }
    const i = this.length++;
    this.#x[i] = (t - from) * scale;
    [this.#low[i], this.#high[i], this.#line[i], this.#ends[i]] = [low, high, value, NaN];
    this.#starts[i] = pass.startsNew ? 1 : 0;
    Object.assign(pass, { n: 0, startsNew: false, before: t, valueBefore: value });
  }

  /** The last value holds until `time`. */
  #hold(time) {
    this.#flush();
    const { from, to, scale, valueBefore } = this.#pass;
    if (!this.length) return;
    if (time > from) this.#note(valueBefore);
    this.#ends[this.length - 1] = (Math.min(time, to) - from) * scale;
  }

  /** Adds the line to the path of a pen. */
  trace(pen, left, y) {
    const xs = this.#x, ends = this.#ends;
    for (let i = 0, held = 0; i < this.length; i++) {
      const x = left + xs[i], at = y(this.#line[i]);
      if (this.#starts[i]) pen.moveTo(x, at);
      else {
        if (this.isStepped) pen.lineTo(x, held);
        pen.lineTo(x, at);
      }
      // One value alone is a dot.
      if (ends[i] === ends[i]) pen.lineTo(Math.max(left + ends[i], x + 1.5), at);
      held = at;
    }
  }

  /** Adds the area between the least and the greatest values to the path of a pen. */
  shade(pen, left, y) {
    for (let first = 0, i = 1; i <= this.length; i++) {
      if (i < this.length && !this.#starts[i]) continue;
      if (this.#high.subarray(first, i).some((v, k) => v > this.#low[first + k])) {
        const wide = i - first > 1 ? 0 : 0.75;
        pen.moveTo(left + this.#x[first] - wide, y(this.#low[first]));
        for (let k = first; k < i; k++) pen.lineTo(left + this.#x[k] - wide, y(this.#high[k]));
        for (let k = i - 1; k >= first; k--) pen.lineTo(left + this.#x[k] + wide, y(this.#low[k]));
        pen.closePath();
      }
      first = i;
    }
  }

  #single(i) {
    if (i >= this.ring.length) return null;
    const t = this.ring.time(i), v = this.ring.value(i);
    return { t, end: t, v, low: v, high: v };
  }

  #step(i) {
    const { kept, isStepped } = this, border = this.#border;
    if (!(kept.times[i] < border)) return this.#single(0);
    const t = Math.min(kept.times[i] + kept.step / 2, border);
    return { t, end: kept.times[i] + kept.step, v: isStepped ? kept.last[i] : kept.mean[i], low: kept.low[i],
      high: kept.high[i] };
  }

  /** What counts at a time, and where that is drawn: `{ t, v, low, high }`, or null. */
  at(t) {
    const { ring, kept, isStepped } = this, single = lastAt(ring, t);
    const fresh = single < 0 && kept ? this.#patience : this.fresh;
    const step = kept ? Math.max(lastAt(kept, t - kept.step / 2), t >= kept.times[0] ? 0 : -1) : -1;
    const i = single < 0 ? step : single;
    if (i < 0) return null;
    const [found, next] = single < 0 ? [this.#step(i), this.#step(i + 1)] : [this.#single(i), this.#single(i + 1)];
    const isNext = next?.v === next?.v && next?.t - found.end <= fresh;
    // On a line the nearest value counts, and the newest until now.
    if (!isStepped && isNext && next.t - t < t - found.t) return next;
    if (found.v !== found.v || t - found.end > fresh) return null;
    return isStepped || !isNext ? { ...found, t } : found;
  }

  /** All that is known, as `[t, v]`, oldest first. */
  rows() {
    const { kept, ring } = this, border = this.#border;
    const steps = kept ? [...kept.times].map((t, i) => [t, kept.last[i]]).filter(([t]) => t < border) : [];
    return [...steps, ...Array.from({ length: ring.length }, (_, i) => [ring.time(i), ring.value(i)])];
  }
}
