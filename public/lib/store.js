// What several parts of the page need to know: a few named values, and who wants to hear of them.

export class Store {
  #values = new Map();
  #listeners = new Map();

  get(key) { return this.#values.get(key); }

  /** Sets a value and tells those who listen; an equal value is no change. */
  set(key, value) {
    if (Object.is(this.#values.get(key), value)) return;
    this.#values.set(key, value);
    for (const listener of [...(this.#listeners.get(key) ?? [])]) listener(value);
  }

  /** Calls `listener` now and at every change, until `signal` aborts. */
  listen(key, listener, signal) {
    if (signal?.aborted) return;
    const all = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, all.add(listener));
    signal?.addEventListener("abort", () => all.delete(listener), { once: true });
    listener(this.#values.get(key));
  }
}
