// How far − and + go. Pure.

/** A twentieth of the size of what is set, rounded; of whole numbers at least one. Pure. */
export function stepOf({ type, min, max }, value) {
  const size = max > min ? max - min : Math.abs(value), step = size ? 10 ** Math.floor(Math.log10(size)) / 20 : 1;
  return type === "integer" ? Math.max(1, Math.round(step)) : step;
}

/** The next value in the direction of `by`, on the steps and within the bounds. Pure. */
export function stepped(node, value, by) {
  const step = stepOf(node, value), next = Math.round(value / step + by) * step;
  return Number(Math.min(node.max ?? Infinity, Math.max(node.min ?? -Infinity, next)).toPrecision(12));
}
