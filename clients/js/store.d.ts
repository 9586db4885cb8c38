import type {
  Applied, Graphs, KnownNode, Meta, Named, NodeOptions, NodeValue, SetOptions, SetValue, SluiceError,
  Target, Type, WatchOptions,
} from "./client.js";

export type { Graphs, KnownNode, Named, NodeValue, SetValue, Target };

/** What is known of a node, or of several. An object of this type is never changed. */
export interface NodeState<T> {
  /** The value, if there is one; of several nodes an object with those that have one. */
  readonly value: T | undefined;
  /** What the last delivery says besides the value. */
  readonly meta: Meta | undefined;
  /** Nothing has come yet. */
  readonly loading: boolean;
  /** The node holds nothing. */
  readonly empty: boolean;
  /** The value may be out of date: no connection, a server without its store, or an ended request. */
  readonly stale: boolean;
  /** Why there is no value: a failure of the node, a value of another type, or a refusal. */
  readonly error: SluiceError | undefined;
}

/** `type` is what values are checked against; the others are those of `client.watch`. */
export type StoreOptions<T> = WatchOptions & { type?: Type<T> };
/** Of a node in `Graphs`, whose type the compiler knows. */
export type KnownOptions = NodeOptions & { type?: null };

/** Sets the node; where the target is several nodes, those in the object. */
export type Setter<V> = (value: V, options?: SetOptions) => Promise<Applied>;

/** The nodes that are known of a graph, those of them, and what may be set of them. */
export type GraphName = keyof Graphs & string;
export type SomeOf<G extends GraphName, N extends keyof Graphs[G]> = Partial<Pick<Graphs[G], N>>;
