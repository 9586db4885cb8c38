// What is known of a node besides its value, in words; nothing where there is nothing to say.
export const formatState = ({ loading, progress, stale, error } = {}) => [
  error && `failed: ${error.msg || error.code}`,
    loading && `loading${progress === undefined ? "" : ` ${Math.round(100 * progress)}\u202f%`}`, stale && "stale",
].filter(Boolean).join(", ");
