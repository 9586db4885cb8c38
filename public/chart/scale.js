// Round steps, ticks, and a range of values that does not breathe. Pure.

/** The least of 1, 2, 5 × 10^n that is at least `size`. */
export function niceStep(size) {
  if (!(size > 0) || !Number.isFinite(size)) return 1;
  const power = 10 ** Math.floor(Math.log10(size)), part = size / power;
  return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

/** The same in powers of 1024, for bytes: 1, 2, 5, 10 … 500 of a KiB, MiB, GiB. */
export function binaryStep(size) {
  if (!(size > 1)) return 1;
  const power = 1024 ** Math.floor(Math.log(size) / Math.log(1024) + 1e-9);
  return power * Math.min(1024, niceStep(size / power));
}

/** Round numbers from `low` to `high`, at most about `count`. */
export function ticks(low, high, count, stepOf = niceStep) {
  const step = stepOf((high - low) / Math.max(1, count)), all = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9 && all.length < 100; i++) all.push(i * step);
  return all;
}

/** How many digits after the point tell `step` apart. */
export const digitsOf = (step) => Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));

const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;
const timeSteps = [
  100, 200, 500, second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second, minute, 2 * minute, 5 * minute,
  10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day,
];

/** Round times of the day between `from` and `to`, at most `count` of them: `{ step, at: [ms] }`. */
export function timeTicks(from, to, count) {
  const step = timeSteps.find((each) => (to - from) / each <= Math.max(1, count)) ?? Math.ceil((to - from) / day / count) * day;
  // Whole hours and days of the place where the page is read.
  const shift = new Date(from).getTimezoneOffset() * minute, at = [];
  for (let t = Math.ceil((from - shift) / step) * step + shift; t <= to && at.length < 100; t += step) at.push(t);
  return { step, at };
}

/** "12:05", or with seconds where the ticks are closer than a minute, or the day where they are further than one. */
export function timeLabel(t, step) {
  const date = new Date(t), two = (number) => String(number).padStart(2, "0");
  if (step >= day) return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const hours = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (step >= minute) return hours;
  return `${hours}:${two(date.getSeconds())}${step < second ? `.${Math.floor(date.getMilliseconds() / 100)}` : ""}`;
}

/**
 * The range of an axis of values: round, and changed only when it must be. It grows at once to hold what there is, and
 * shrinks when less than half of it was used for ten seconds.
 */
export class SteadyRange {
  low; high;
  #idle = 0;
  #fixedLow; #fixedHigh; #stepOf;

  constructor(fixedLow, fixedHigh, stepOf = niceStep) {
    this.#fixedLow = fixedLow;
    this.#fixedHigh = fixedHigh;
    this.#stepOf = stepOf;
  }

  /** Takes the extent of what is shown; says whether the range has changed. */
  fit(extent, now) {
    const { low, high } = this;
    if (!extent) extent = [this.#fixedLow ?? low ?? 0, this.#fixedHigh ?? high ?? 1];
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
    return low !== this.low || high !== this.high;
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
