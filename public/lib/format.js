// Values as people read them.
import { encode } from "../client.js";

const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

export function formatBytes(bytes, unit = "B") {
  let step = 0, amount = bytes;
  while (Math.abs(amount) >= 1024 && step < binary.length - 1) { amount /= 1024; step++; }
  return `${step ? amount.toFixed(1) : Math.round(amount * 10) / 10} ${binary[step]}${unit}`;
}

/**
 * At most `digits` significant digits, all of the integer part, an exponent only where it must be.
 */
export function formatNumber(value, digits = 6) {
  if (typeof value === "bigint") return String(value);
  if (Object.is(value, -0)) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return String(value);
  if (size !== 0 && (size < 1e-6 || size >= 1e15)) return value.toExponential(3).replace("e+", "e");
  return String(Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(size + 1))))));
}

/** What values are called that a definition has no words for. */
export const plainWords = { true: "on", false: "off", null: "none" };

/** `words`: what people call the values, by their JSON text. */
export function formatValue(value, unit = "", words = undefined) {
  if (value === undefined) return "";
  const key = words && (typeof value !== "object" || value === null) ? encode(value) : "";
  if (key && Object.hasOwn(words, key)) return words[key];
  if (typeof value === "boolean" || value === null) return plainWords[value];
  if (typeof value === "number" && (unit === "B" || unit === "B/s")) return formatBytes(value, unit);
  const text = typeof value === "string" ? value
    : typeof value === "number" || typeof value === "bigint" ? formatNumber(value) : encode(value);
  return unit ? `${text}\u202f${unit}` : text;
}

export function formatEntry(entry, unit = "", words = undefined) {
  if (!entry) return "";
  if (entry.fail) return `failed: ${entry.fail.msg ?? entry.fail.code}`;
  return "v" in entry ? formatValue(entry.v, unit, words) : "empty";
}

const parts = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"], [1000, "s"]];

/** "3 min 12 s", "340 ms". */
export function formatDuration(ms) {
  const time = Math.max(0, Math.round(ms));
  if (time < 1000) return `${time}\u202fms`;
  const first = parts.findIndex(([size]) => time >= size);
  const words = [];
  let rest = time;
  for (const [size, unit] of parts.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    if (count || !words.length) words.push(`${count}\u202f${unit}`);
    rest -= count * size;
  }
  return words.join(" ");
}

/** "now", "3 min ago". */
export function formatAge(ms) {
  if (ms < 1000) return "now";
  const [size, unit] = parts.find(([each]) => ms >= each);
  return `${Math.floor(ms / size)}\u202f${unit} ago`;
}

export const capital = (words) => words[0].toUpperCase() + words.slice(1);

export const plural = (count, one, many = `${one}s`) => `${formatNumber(count)} ${count === 1 ? one : many}`;

/** Whether two values of JSON are equal. */
export function same(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

const clock = new Intl.DateTimeFormat(undefined,
  { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** With the date when it is another day's. */
export function formatTime(ms, now = Date.now()) {
  const time = clock.format(ms);
  return new Date(ms).toDateString() === new Date(now).toDateString() ? time : `${day.format(ms)}, ${time}`;
}
