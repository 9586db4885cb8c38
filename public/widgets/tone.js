// How good a value is: `off`, `on`, `info`, `ok`, `warn`, `bad` or `alarm`. Pure.
import { raisedBy } from "../lib/words.js";

/** `18..24`, and what else people write for it. */
export const range = /^(-?\d+(?:\.\d+)?)\s*(?:\.\.\.?|…|–|-|to)\s*(-?\d+(?:\.\d+)?)$/;
const isNumber = (v) => typeof v === "number" || typeof v === "bigint";

export const partsOf = (wanted) => String(wanted).split(",").map((each) => each.trim());

/**
 * Whether a value matches an option: a value, several with commas, or for numbers a range such as
 * 18..24.
 */
function matches(wanted, v) {
  if (wanted === undefined) return false;
  return partsOf(wanted).some((each) => {
    const found = isNumber(v) && range.exec(each);
    if (found) return v >= Number(found[1]) && v <= Number(found[2]);
    return each === String(v) || (isNumber(v) && each !== "" && Number(each) === Number(v));
  });
}

const severities = { info: "info", warning: "warn", alarm: "alarm" };
/** Whether a lamp without options is lit. */
const isLit = (v) => (isNumber(v) ? Number(v) !== 0 : v !== false && v !== null);

/**
 * For an entry, by the widget's options (`ok`, `warn`, `bad`; numbers are bad from `bad` on) and
 * the node's `severity`. With `ok`, everything else is bad. Bad values are alarms unless the node's
 * severity is lower.
 */
export function toneOf(entry, { ok, warn, bad } = {}, severity) {
  if (!entry || entry.empty) return "off";
  if (entry.fail) return "bad";
  const { v } = entry, worst = severities[severity] ?? "alarm";
  const isBad = isNumber(v) && typeof bad === "number" ? v >= bad : matches(bad, v);
  if (isBad) return worst;
  if (isNumber(v) && warn !== undefined && v >= warn) return "warn";
  if (matches(ok, v)) return "ok";
  if (ok !== undefined) return worst;
  if (bad !== undefined || warn !== undefined) return isNumber(v) ? "ok" : "off";
  return isLit(v) ? "on" : "off";
}

/** Of what a node with a severity holds, as its definition judges it. */
export function toneOfNode(node, entry) {
  if (!entry || entry.empty) return "off";
  const raised = raisedBy(node, entry);
  return raised ? severities[raised] : "ok";
}

/** Those that the whole widget shows, to be seen from across the room. */
export const isLoud = (tone) => tone === "alarm" || tone === "warn" || tone === "bad";

/** In words, for people who do not see colours. */
export const toneWords = { info: "note", warn: "warning", bad: "failed", alarm: "alarm" };
