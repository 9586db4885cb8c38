import type { ReactElement, ReactNode } from "react";
import type { Client, Graphs, State } from "./client.js";
import type {
  GraphName, KnownNode, KnownOptions, Named, NodeState, NodeValue, SetValue, Setter, SomeOf,
  StoreOptions, Target,
} from "./store.js";

export type { NodeState, Setter, StoreOptions } from "./store.js";

/** Gives the client to the components inside; null where pages are rendered without one. */
export declare function SluiceProvider(props: { client: Client | null; children?: ReactNode }): ReactElement;

/** The client of the provider around the component; throws where there is none. */
export declare function useClient(): Client | null;

export interface NodeHook<T, V = unknown> extends NodeState<T> {
  /** Stays the same function as long as the target is the same. */
  readonly set: Setter<V>;
}

/**
 * What is known of a node, or of several ("house/here.*,mode"). The component renders again with
 * each value. It subscribes when it is mounted, and ends with the component; options that are equal
 * need not be the same objects. Without a target, null, it waits for one.
 */
export declare function useNode<P extends KnownNode>(target: P, options?: KnownOptions): NodeHook<NodeValue<P>, SetValue<P>>;
export declare function useNode<T = unknown, P extends Target = Target>(target: Named<P> | null | undefined, options?: StoreOptions<T>): NodeHook<T, SetValue<P>>;

/** Several nodes of a graph, names and globs: `value` has their values by name. */
export declare function useNodes<G extends GraphName, N extends keyof Graphs[G] & string>(graph: G, nodes: readonly N[], options?: KnownOptions): NodeHook<SomeOf<G, N>, SetValue<G>>;
export declare function useNodes<T = unknown>(graph: string, nodes: readonly string[], options?: StoreOptions<T>): NodeHook<Record<string, T>>;

/** The state of the connection. */
export declare function useConnection(): State;
