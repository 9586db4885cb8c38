import type { Client, State } from "./client.js";
import type {
  KnownNode, KnownOptions, Named, NodeState, NodeValue, SetValue, Setter, StoreOptions, Target,
} from "./store.js";

export type { NodeState, Setter, StoreOptions } from "./store.js";

/** A store of Svelte that can be read. */
export interface Readable<T> {
  /** Calls `run` at once and at each change, until the function that it returns is called. */
  subscribe(run: (value: T) => void): () => void;
}

/** `$store` is the value, and `$store = value` sets the node. */
export interface NodeStore<T, V = unknown> extends Readable<T | undefined> {
  set: Setter<V>;
  /** Sets what the function makes of the value. `client.update` does that in the server. */
  update(change: (value: T | undefined) => V): ReturnType<Setter<V>>;
  /** Everything that is known of the node. */
  readonly state: Readable<NodeState<T>>;
}

/** A node, or several ("house/here.*,mode"), as a store. */
export declare function node<P extends KnownNode>(client: Client, target: P, options?: KnownOptions): NodeStore<NodeValue<P>, SetValue<P>>;
export declare function node<T = unknown, P extends Target = Target>(client: Client, target: Named<P>, options?: StoreOptions<T>): NodeStore<T, SetValue<P>>;

/** The state of the connection as a store. */
export declare function connection(client: Client): Readable<State>;
