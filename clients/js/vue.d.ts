import type { App, ComputedRef, MaybeRefOrGetter, ShallowRef } from "vue";
import type { Client, Graphs, State } from "./client.js";
import type {
  GraphName, KnownNode, KnownOptions, Named, NodeState, NodeValue, SetValue, Setter, SomeOf,
  StoreOptions, Target,
} from "./store.js";

export type { NodeState, Setter, StoreOptions } from "./store.js";

/** A plugin that gives the client to all components: `app.use(createSluice(client))`. */
export declare function createSluice(client: Client): { install(app: App): void };

/** The client of the application; throws where there is none. */
export declare function useClient(): Client;

/** What is known of a node, each part as a ref. */
export type NodeRefs<T, V = unknown> = {
  readonly [Part in keyof NodeState<T>]: ComputedRef<NodeState<T>[Part]>;
} & { readonly set: Setter<V> };

/** Outside components, such as in a scope of its own, the client is given here. */
interface WithClient { client?: Client; }

/**
 * What is known of a node, or of several ("house/here.*,mode"). It subscribes when the component is
 * mounted, and ends with it. The target may be a ref or a function, and null as long as there is
 * none.
 */
export declare function useNode<P extends KnownNode>(target: MaybeRefOrGetter<P>, options?: KnownOptions & WithClient): NodeRefs<NodeValue<P>, SetValue<P>>;
export declare function useNode<T = unknown, P extends Target = Target>(target: MaybeRefOrGetter<Named<P> | null | undefined>, options?: StoreOptions<T> & WithClient): NodeRefs<T, SetValue<P>>;

/** Several nodes of a graph, names and globs: `value` has their values by name. */
export declare function useNodes<G extends GraphName, N extends keyof Graphs[G] & string>(graph: MaybeRefOrGetter<G>, nodes: MaybeRefOrGetter<readonly N[]>, options?: KnownOptions & WithClient): NodeRefs<SomeOf<G, N>, SetValue<G>>;
export declare function useNodes<T = unknown>(graph: MaybeRefOrGetter<string>, nodes: MaybeRefOrGetter<readonly string[]>, options?: StoreOptions<T> & WithClient): NodeRefs<Record<string, T>>;

/** The state of the connection. */
export declare function useConnection(options?: WithClient): Readonly<ShallowRef<State>>;
