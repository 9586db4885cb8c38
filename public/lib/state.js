// The state of a node besides its value, in words; empty if there is nothing to say.
export const formatState = ({ loading, progress, stale, error } = {}) => [
  error && `failed: ${error.msg || error.code}`,
    loading && `loading${progress === undefined ? "" : ` ${Math.round(100 * progress)}\u202f%`}`, stale && "stale",
].filter(Boolean).join(", ");
