// A chart without its canvas. Pure.

/** The newest `capacity` points, and when nothing was heard. */
export class Ring {
  #t; #v; #start = 0;
  length = 0;
  /** `{ from, to }`, oldest first; `to` is Infinity while it lasts. */
  gaps = [];

  constructor(capacity) {
    this.#t = new Float64Array(capacity);
    this.#v = new Float64Array(capacity);
  }

  get capacity() { return this.#t.length; }
  #at(i) { return (this.#start + i) % this.capacity; }
  time(i) { return this.#t[this.#at(i)]; }
  value(i) { return this.#v[this.#at(i)]; }
  get last() { return this.length ? this.time(this.length - 1) : undefined; }

  /** NaN where there is no number. Time never goes back. */
  push(t, v) {
    if (this.length && t < this.last) t = this.last;
    if (this.length < this.capacity) this.length++;
    else this.#start = (this.#start + 1) % this.capacity;
    const place = this.#at(this.length - 1);
    this.#t[place] = t;
    this.#v[place] = v;
  }

  openGap(from) {
    if (this.gaps.at(-1)?.to !== Infinity) this.gaps.push({ from, to: Infinity });
    if (this.gaps.length > 64) this.gaps.shift();
  }

  closeGap(to) {
    const last = this.gaps.at(-1);
    if (last?.to === Infinity) last.to = Math.max(to, last.from);
  }

  /** The first point not before `t`. */
  index(t) {
    let low = 0, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time(middle) < t) low = middle + 1; else high = middle;
    }
    return low;
  }

  /** The newest value not later, or NaN. */
  at(t) {
    let next = this.index(t);
    while (next < this.length && this.time(next) <= t) next++;
    return next ? this.value(next - 1) : NaN;
  }

  extent(from, to) {
    let low = Infinity, high = -Infinity;
    for (let i = Math.max(0, this.index(from) - 1); i < this.length && this.time(i) <= to; i++) {
      const v = this.value(i);
      if (v < low) low = v;
      if (v > high) high = v;
    }
    return low <= high ? [low, high] : null;
  }

  /** Column, least, greatest, last value in `out` for each pixel column where something happens; gives their count. */
  columns(from, to, width, out) {
    const scale = width / (to - from);
    let count = 0, column = -1, low = 0, high = 0, last = 0;
    const flush = () => { if (column >= 0) out.set([column, low, high, last], 4 * count++); };
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

/** Draws `columns` as steps; gives the value at the end. */
export function steps(pen, columns, count, left, y) {
  let held = NaN;
  for (let i = 0; i < 4 * count; i += 4) {
    const x = left + columns[i] + 0.5, low = columns[i + 1], high = columns[i + 2], last = columns[i + 3];
    if (held === held) pen.lineTo(x, y(held));
    if (last === last) {
      if (held !== held) pen.moveTo(x, y(low));
      pen.lineTo(x, y(low));
      if (high !== low) pen.lineTo(x, y(high));
      pen.lineTo(x, y(last));
    }
    held = last;
  }
  return held;
}

/** The least of 1, 2, 5 × 10^n that is at least `size`. */
export function niceStep(size) {
  if (!(size > 0) || !Number.isFinite(size)) return 1;
  const power = 10 ** Math.floor(Math.log10(size)), part = size / power;
  return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

/** The same of a KiB, MiB, GiB. */
export function binaryStep(size) {
  if (!(size > 1)) return 1;
  const power = 1024 ** Math.floor(Math.log(size) / Math.log(1024) + 1e-9);
  return power * Math.min(1024, niceStep(size / power));
}

/** About `count` round numbers. */
export function ticks(low, high, count, stepOf = niceStep) {
  const step = stepOf((high - low) / Math.max(1, count)), all = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9 && all.length < 100; i++) all.push(i * step);
  return all;
}

/** Digits after the point. */
export const digitsOf = (step) => Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));

const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;
const timeSteps = [
  100, 200, 500, second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second, minute, 2 * minute, 5 * minute,
  10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day,
];

/** Round times of the day, at most `count`: `{ step, at: [ms] }`. */
export function timeTicks(from, to, count) {
  const step = timeSteps.find((each) => (to - from) / each <= Math.max(1, count)) ?? Math.ceil((to - from) / day / count) * day;
  const shift = new Date(from).getTimezoneOffset() * minute, at = [];
  for (let t = Math.ceil((from - shift) / step) * step + shift; t <= to && at.length < 100; t += step) at.push(t);
  return { step, at };
}

export function timeLabel(t, step) {
  const date = new Date(t), two = (number) => String(number).padStart(2, "0");
  if (step >= day) return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const hours = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (step >= minute) return hours;
  return `${hours}:${two(date.getSeconds())}${step < second ? `.${Math.floor(date.getMilliseconds() / 100)}` : ""}`;
}

/** A round range that grows at once, and shrinks when less than half of it was used for ten seconds. */
export class SteadyRange {
  low; high;
  #idle = 0;
  #fixedLow; #fixedHigh; #stepOf;

  constructor(fixedLow, fixedHigh, stepOf = niceStep) {
    this.#fixedLow = fixedLow;
    this.#fixedHigh = fixedHigh;
    this.#stepOf = stepOf;
  }

  /** Takes the extent of what is shown, or null. */
  fit(extent, now) {
    const { low, high } = this;
    extent ??= [this.#fixedLow ?? low ?? 0, this.#fixedHigh ?? high ?? 1];
    const [from, to] = round(this.#fixedLow ?? extent[0], this.#fixedHigh ?? extent[1], this.#stepOf);
    const holds = low !== undefined && low <= extent[0] && high >= extent[1];
    const used = holds ? (to - from) / (high - low) : 1;
    if (holds && used >= 0.5) this.#idle = 0;
    else if (holds && !this.#idle) this.#idle = now;
    if (low === undefined || !holds || (this.#idle && now - this.#idle > 10_000)) {
      this.#idle = 0;
      this.low = this.#fixedLow ?? (holds || low === undefined ? from : Math.min(from, low));
      this.high = this.#fixedHigh ?? (holds || high === undefined ? to : Math.max(to, high));
      if (this.high <= this.low) this.high = this.low + 1;
    }
  }
}

function round(low, high, stepOf) {
  if (high <= low) {
    const room = Math.abs(low) * 0.05 || 1;
    [low, high] = [low - room, high + room];
  }
  const step = stepOf((high - low) / 4);
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}
