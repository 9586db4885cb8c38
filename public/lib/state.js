// Nodes besides their values, and how current these are, in words.
import { reportWords, staleWord } from "./words.js";
import { formatTime } from "./format.js";

// The state of a node besides its value, in words; empty if there is nothing to say.
export const formatState = ({ loading, progress, stale, error } = {}) => [
  error && `failed: ${error.msg || error.code}${next(error.retryAt)}`,
    loading && `loading${progress === undefined ? "" : ` ${Math.round(100 * progress)}\u202f%`}`, stale && staleWord,
].filter(Boolean).join(", ");

const next = (at) => (at ? `, next try at ${formatTime(at)}` : "");

/**
 * How current a feed's value is: `{ name, words }`, of which `name` is "ended", "error", "loading",
 * "stale" or "".
 */
export function standing({ meta: { ended, state = {} } = {}, ring }, now) {
  const name = ended ? "ended" : state.error ? "error" : state.loading ? "loading" : state.stale ? "stale" : "";
  return { name, words: name === "stale" ? reportWords(ring?.staleSince, now) : formatState(state) };
}

/** What a source node takes, in words: `get met:/now every 10s`, `events met:/prices quote`. */
export function formatSource(source) {
  const kind = ["get", "events", "socket", "topic", "node"].find((word) => word in source);
  return [kind, source[kind], source.every && `every ${source.every}`, source.event].filter(Boolean).join(" ");
}
