// Nodes in words: alarms, staleness, stages. Pure.
import { formatAge, formatDuration, formatEntry, plural, same } from "./format.js";

/** What each kind of node, and what stands beside nodes, is called on the page. */
export const kinds = {
  mutable: "set from outside", source: "fetched from outside", derived: "computed", chain: "step of a client",
  listener: "client", family: "family", upstream: "source outside",
};
export const asleepWords = "not running: nobody listens", staleWord = "out of date";

export const wordOf = ({ kind, of, sink }) => (sink ? "sink" : of !== undefined ? "step" : kinds[kind] ?? kind);

/** The most urgent first. */
export const severityWords = { alarm: "Alarm", warning: "Warning", info: "Note" };
const severities = Object.keys(severityWords);

/**
 * "alarm", "warning" or "info" while a node with this definition, which holds this entry, calls for
 * attention; else "".
 */
export function raisedBy(node, entry = node) {
  if (!node.severity || entry.exists === false) return "";
  if (entry.fail) return node.severity;
  if (!("v" in entry) || entry.v === undefined) return "";
  return ("ok" in node ? !same(entry.v, node.ok) : entry.v === true) ? node.severity : "";
}

/**
 * For an entry of a list of graphs: `{ level, words }`; `level` is a severity, "stale" or "well".
 */
export function healthOf({ alarms = [], alarmCount = alarms.length, stale = [], staleCount = stale.length,
  missed = [] }) {
  const most = severities.find((each) => alarms.some(({ severity }) => severity === each));
  const counts = severities.map((each) => [each, alarms.filter(({ severity }) => severity === each).length])
    .filter(([, count]) => count).map(([each, count]) => plural(count, severityWords[each].toLowerCase()));
  if (alarmCount > alarms.length) counts.push(`${alarmCount - alarms.length} more`);
  if (staleCount) counts.push(`${counts.length ? staleCount : plural(staleCount, "value")} ${staleWord}`);
  if (missed.length) counts.push(`${plural(missed.length, "removed node")} still set`);
  const level = most ?? (staleCount || missed.length ? "stale" : "well");
  return { level, words: counts.join(", ") || "All is well" };
}

/** "Alarm: damp and cold", "Warning: Warm"; of an entry of `alarms`. */
export function alarmWords({ node, title = node, severity, ...entry }) {
  const what = [severityWords[severity], title].filter((word, i, all) => all.indexOf(word) === i).join(": ");
  return entry.v === true ? what : `${what}: ${formatEntry(entry)}`;
}

/**
 * When a node got its value: "last set 40 s ago", "changed 3 min ago"; `at` is 0 where it has none.
 */
export function lastWords({ kind }, at, now) {
  const verb = kind === "mutable" ? "last set" : "changed";
  if (!at) return kind === "mutable" ? "not set" : "not changed yet";
  return `${verb} ${formatAge(Math.max(0, now - at))}`;
}

/** Of a value that is out of date: "no report for 3 min"; `since`: the time of the last, or 0. */
export const reportWords = (since, now) =>
  (since ? `no report for ${formatAge(Math.max(1000, now - since)).replace(" ago", "")}` : staleWord);

/** Why a value is out of date: "no report for 2 min, expected every 1 min". */
export const staleWords = ({ fresh }, at, now) =>
  reportWords(at, now) + (fresh ? `, expected every ${formatDuration(fresh)}` : "");

/** How a sink does, of an entry of a graph's `sinks`: "delivered, last 4 s ago". */
export function sinkWords({ waiting, arrivedAt, failingSince, failure }, now) {
  const values = `${plural(waiting, "value")} waiting`;
  if (failingSince) {
    const since = formatDuration(Math.max(1000, Math.floor((now - failingSince) / 1000) * 1000));
    return `failing for ${since}: ${failure}${waiting ? `; ${values}` : ""}`;
  }
  const last = arrivedAt ? `delivered, last ${formatAge(Math.max(0, now - arrivedAt))}` : "nothing sent yet";
  return waiting ? `${last}; ${values}` : last;
}

/** A label of the server, with bars between the stages. */
export const stageWords = (label = "") => label.split(" | ").join(", then ");
