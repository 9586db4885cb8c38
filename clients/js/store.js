// A node, or several, as a store: what is known of it as one object that is never changed, and
// listeners that are called when another object takes its place. The adapters for React, Svelte
// and Vue are made of it.
import { SluiceError } from "./client.js";

/** What is known before anything has come. */
export const LOADING = Object.freeze({
  value: undefined, meta: undefined, loading: true, empty: false, stale: false, error: undefined,
});

/** What is known of no node. */
export const IDLE = Object.freeze({ ...LOADING, loading: false });

// Stores that have listeners, by client, then by what they ask for.
const open = new WeakMap();

/** What a store asks for, as text: stores of equal text are alike. */
export function keyOf(target, { type = null, ...options } = {}) {
  // A function of the program has no text: its stores take the newest one (`store.type`).
  const name = isBuiltIn(type) ? type.name : typeof type;
  const text = (_, value) => (typeof value === "bigint" ? `${value}n` : value);
  return JSON.stringify([target, name, options], text);
}

const isBuiltIn = (type) => [Number, String, Boolean, BigInt].includes(type);

/**
 * The store for a target. It subscribes with its first listener, and ends with its last. One that
 * has listeners is shared, so that a further view begins with what the others show.
 */
export function nodeStore(client, target, given = {}, key = keyOf(target, given)) {
  return open.get(client)?.get(key) ?? makeStore(client, target, given, key);
}

function makeStore(client, target, { type = null, ...options }, key) {
  const listeners = new Set();
  // A function of the program is not known by its text, so its stores are not shared.
  const isShared = !type || isBuiltIn(type);
  let state = LOADING, watch, forget;

  const store = {
    // Of functions that check types, the one of the present render.
    type,
    getState: () => state,
    subscribe(listener) {
      // A listener may be passed twice, and then ends twice.
      const entry = () => listener();
      listeners.add(entry);
      if (listeners.size === 1) begin();
      return () => {
        if (listeners.delete(entry) && !listeners.size) end();
      };
    },
  };

  function begin() {
    const check = isShared ? type : (value) => store.type(value);
    watch = client.watch(target, check, change, options);
    forget = client.onState(() => {
      recheck();
      // After a reconnect it is asked for again only when all have heard of the connection.
      Promise.resolve().then(recheck);
    });
    if (!isShared) return;
    if (!open.has(client)) open.set(client, new Map());
    const stores = open.get(client);
    if (!stores.has(key)) stores.set(key, store);
  }

  function end() {
    watch.close();
    forget();
    watch = undefined;
    const stores = open.get(client);
    if (stores?.get(key) === store) stores.delete(key);
  }

  function recheck() {
    if (watch?.meta && watch.stale !== state.stale) change();
  }

  function change() {
    state = stateOf(watch, target);
    const errors = [];
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch (error) {
        errors.push(error);
      }
    }
    // All have been called; the client reports the error (`onError`).
    if (errors.length) throw errors[0];
  }

  return store;
}

function stateOf({ value, meta, stale }, target) {
  const { changed, empty = false, fail, ended } = meta;
  // A program closes a client, and finite streams complete, without a fault.
  const isRefused = ended && !/^(complete|closed)$/.test(ended.code);
  const problem = fail ?? (isRefused ? ended : undefined);
  const path = typeof target === "string" ? target : target.graph;
  return Object.freeze({
    // The client changes an object of several nodes in place.
    value: changed ? { ...value } : value,
    meta, empty, stale,
    loading: false,
    error: problem && new SluiceError({ ...problem, path }),
  });
}

/** Sets the node; where the target is several nodes, the members of an object. */
export function setterOf(client, target) {
  const { graph, node } = typeof target === "string" ? split(target) : target ?? {};
  const path = node ? `${graph}/${node}` : graph;
  return async (value, options) => {
    if (!client || !path) {
      throw new SluiceError({ code: "not-connected", msg: "there is no client, or no target" });
    }
    return client.set(path, value, options);
  };
}

function split(target) {
  const [graph, node] = target.split("/");
  return { graph, node: /[*,]/.test(node) ? undefined : node };
}
