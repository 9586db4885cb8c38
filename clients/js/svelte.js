// Stores for Svelte, by its store contract: `subscribe` calls at once, and returns what ends it.
// The component is the owner: a store that nobody is subscribed to has no subscription either.
import { nodeStore, setterOf } from "./store.js";

/**
 * The value of a node as a store: `$store` reads it, `$store = value` sets the node. Its `state` is
 * a store of everything that is known of the node.
 */
export function node(client, target, options) {
  const store = nodeStore(client, target, options);
  const select = (pick) => ({
    subscribe(run) {
      const tell = () => run(pick(store.getState()));
      const end = store.subscribe(tell);
      tell();
      return end;
    },
  });
  const set = setterOf(client, target);
  return {
    ...select((state) => state.value),
    set,
    update: (change) => set(change(store.getState().value)),
    state: select((state) => state),
  };
}

/** The state of the connection as a store. */
export function connection(client) {
  return {
    subscribe(run) {
      const end = client.onState((state) => run(state));
      run(client.state);
      return end;
    },
  };
}
