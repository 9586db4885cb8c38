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
  for (let i = first; i * step <= high + step * 1e-9 && all.length < 100; i++) all.push(i * step + 0);
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

const date = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

/** The time of day; at midnight, and where steps are whole days, the date. */
export function timeLabel(t, step) {
  const text = new Date(t - zone(t)).toISOString(), isMidnight = text.slice(11, 23) === "00:00:00.000";
  return step >= day || (isMidnight && step >= minute) ? date.format(t)
    : text.slice(11, step >= minute ? 16 : step >= 1000 ? 19 : 21);
}

/**
 * The round range around the values that are shown. It grows at once, and shrinks after ten seconds
 * in which a smaller one would have done; `isMoved` says that other times are shown than before.
 */
export class AxisRange {
  low = 0; high = 1;
  #isKnown = false; #idle = 0;

  /** `min`, `max`: fixed ends; `least`, `most`: what values never exceed, so no room is left. */
  constructor({ min, max, least = -Infinity, most = Infinity, stepOf = niceStep } = {}) {
    Object.assign(this, { min, max, least, most, stepOf });
  }

  fit(extent, now, isMoved = false) {
    if (!extent) {
      if (!this.#isKnown) [this.low, this.high] = this.#around([this.min ?? 0, this.max ?? 1]);
      return;
    }
    const [low, high] = this.#around(extent), isWithin = low >= this.low && high <= this.high;
    const isSame = low === this.low && high === this.high;
    if (this.#isKnown && isWithin && !isMoved && !isSame) {
      this.#idle ||= now;
      if (now - this.#idle <= 10_000) return;
    }
    Object.assign(this, { low, high });
    [this.#isKnown, this.#idle] = [true, 0];
  }

  /** Zero is part of it only where the values come near. */
  #around([least, most]) {
    const { min, max, stepOf } = this, range = most - least, air = range * 0.04;
    let low = least - air, high = most + air;
    if (!(range > 0)) {
      const room = Math.abs(least) * 0.02 || 1;
      [low, high] = [least ? least - room : 0, most + room];
    } else if (least >= 0 && least <= range / 4) low = 0;
    else if (most <= 0 && -most <= range / 4) high = 0;
    if (least >= this.least) low = Math.max(low, this.least);
    if (most <= this.most) high = Math.min(high, this.most);
    [low, high] = [min ?? low, max ?? high];
    if (!(high > low)) [low, high] = max === undefined ? [low, low + 1] : [high - 1, high];
    const step = stepOf((high - low) / 6);
    const whole = (count) => Number((count * step).toPrecision(12)) + 0;
    return [min ?? whole(Math.floor(low / step + 1e-9)), max ?? whole(Math.ceil(high / step - 1e-9))];
  }
}
