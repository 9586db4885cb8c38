// Scales of charts: round steps of numbers, bytes and times, and ranges that stay calm. Pure.

/** The least of 1, 2, 5 × 10^n that is at least `size`. */
export function niceStep(size) {
  if (!(size > 0) || !Number.isFinite(size)) return 1;
  const power = 10 ** Math.floor(Math.log10(size)), part = size / power;
  return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

export function binaryStep(size) {
  if (!(size > 1)) return 1;
  const power = 1024 ** Math.floor(Math.log(size) / Math.log(1024) + 1e-9);
  const step = niceStep(size / power);
  return power * (step <= 200 ? step : size <= 256 * power ? 256 : 1024);
}

const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

/** A mark of a byte axis in the largest unit in which it is whole: 0, 1, 2, 3 KiB/s. */
export function byteLabel(mark, unit) {
  let power = 0;
  while (power < binary.length - 1 && mark % 1024 ** (power + 1) === 0) power++;
  return mark ? `${Math.round(mark / 1024 ** power)} ${binary[power]}${unit}` : "0";
}

export function ticks(low, high, count, stepOf = niceStep) {
  const step = stepOf((high - low) / Math.max(1, count)), all = [];
  const first = Math.ceil(low / step - 1e-9);
  for (let i = first; i * step <= high + step * 1e-9 && all.length < 100; i++) all.push(i * step);
  return all;
}

export const digitsOf = (step) => Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));

const minute = 60e3, day = 1440 * minute;
const timeSteps = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200,
  86_400, 172_800, 604_800,
].map((each) => each * 1000);
const zone = (t) => new Date(t).getTimezoneOffset() * minute;

/** Round times of the day, at most `count`: `{ step, at: [ms] }`. */
export function timeTicks(from, to, count) {
  const fit = timeSteps.find((each) => (to - from) / each <= count);
  const step = fit ?? Math.ceil((to - from) / day / count) * day, shift = zone(from), at = [];
  for (let t = Math.ceil((from - shift) / step) * step + shift; t <= to && at.length < 100; t += step) at.push(t);
  return { step, at };
}

export function timeLabel(t, step) {
  const text = new Date(t - zone(t)).toISOString();
  return step >= day ? text.slice(0, 10) : text.slice(11, step >= minute ? 16 : step >= 1000 ? 19 : 21);
}

/**
 * A round range that grows at once, and shrinks when less than half of it was used for ten seconds.
 */
export class SteadyRange {
  #idle = 0;

  constructor(fixedLow, fixedHigh, stepOf = niceStep) { Object.assign(this, { fixedLow, fixedHigh, stepOf }); }

  fit(extent, now) {
    const { low, high, fixedLow, fixedHigh } = this;
    const [least, most] = extent ?? [fixedLow ?? low ?? 0, fixedHigh ?? high ?? 1];
    let from = fixedLow ?? least, to = fixedHigh ?? most;
    if (to <= from) {
      const room = Math.abs(from) * 0.05 || 1;
      from -= room;
      to += room;
    }
    const step = this.stepOf((to - from) / 4), holds = low <= least && high >= most;
    from = Math.floor(from / step + 1e-9) * step;
    to = Math.ceil(to / step - 1e-9) * step;
    if (!holds || to - from >= (high - low) / 2) this.#idle = 0;
    else this.#idle ||= now;
    if (holds && !(this.#idle && now - this.#idle > 10_000)) return;
    this.#idle = 0;
    this.low = fixedLow ?? (holds ? from : Math.min(from, low ?? from));
    this.high = fixedHigh ?? (holds ? to : Math.max(to, high ?? to));
    if (this.high <= this.low) this.high = this.low + 1;
  }
}
