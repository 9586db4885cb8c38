// Hooks for React. A component is the owner of what it shows: it subscribes when it is committed,
// never while it is rendered, and ends with the component.
import {
  createContext, createElement, useContext, useEffect, useMemo, useSyncExternalStore,
} from "react";
import { IDLE, LOADING, keyOf, nodeStore, setterOf } from "./store.js";

const ClientContext = createContext(undefined);

// As long as there is no client, such as on a server that renders pages.
const CONNECTING = Object.freeze({ name: "connecting", tries: 0 });
const never = () => () => {};

/** Gives the client, or null where pages are rendered without one, to the components inside. */
export function SluiceProvider({ client, children }) {
  return createElement(ClientContext.Provider, { value: client }, children);
}

/** The client of the provider around the component. */
export function useClient() {
  const client = useContext(ClientContext);
  if (client === undefined) {
    throw new Error("There is no client here: put a <SluiceProvider client={…}> around this.");
  }
  return client;
}

/** What is known of a node, and `set`. Without a target, null, it waits for one. */
export function useNode(target, options = {}) {
  const client = useClient();
  const key = keyOf(target, options);
  // Options that are equal make one store, also where each render makes objects of its own.
  const store = useMemo(
    () => (client && target ? nodeStore(client, target, options, key) : undefined),
    [client, key],
  );
  useEffect(() => {
    if (store) store.type = options.type;
  });
  const rest = target ? LOADING : IDLE;
  const state = useSyncExternalStore(
    store?.subscribe ?? never,
    store?.getState ?? (() => rest),
    () => rest,
  );
  const set = useMemo(() => setterOf(client, target), [client, key]);
  return useMemo(() => ({ ...state, set }), [state, set]);
}

/** Several nodes of a graph, names and globs: `value` has their values by name. */
export function useNodes(graph, nodes, options) {
  return useNode({ graph, nodes }, options);
}

/** The state of the connection. */
export function useConnection() {
  const client = useClient();
  return useSyncExternalStore(
    client?.onState ?? never,
    () => client?.state ?? CONNECTING,
    () => CONNECTING,
  );
}
