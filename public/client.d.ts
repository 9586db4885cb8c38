import type { Checked, NodeOf, Settable, ValueOf } from "./client/graphs.js";

/**
 * The graphs whose nodes the compiler knows, with the types of their values. It is empty: files
 * that `sluice types GRAPH --for ts` writes add to it. Targets in other graphs are any text.
 */
export interface Graphs {}

/** "graph/node" of a node in `Graphs`, and the type of its value. */
export type KnownNode = NodeOf<Graphs>;
export type NodeValue<P> = ValueOf<Graphs, P>;
/** Refuses names that a graph in `Graphs` does not have. */
export type Named<P> = P & Checked<Graphs, P>;
/** What a program may set. */
export type SetValue<P> = Settable<Graphs, P>;

/**
 * A type that values are checked against: a constructor, or a function that gives the value back or
 * throws.
 */
export type Type<T> = Check<T>["check"] | null;
/** Declared as a method, whose parameter may be narrower: `BigInt` does not take everything. */
interface Check<T> { check(value: unknown): T; }

/**
 * "graph/node", "graph/room.*,hall" (names and globs), or the same as an object; `combine` makes
 * one object of several nodes.
 */
export type Target =
  | string
  | { graph: string; node: string }
  | { graph: string; nodes: string[] }
  | { graph: string; combine: Record<string, string | { of: string; passive?: boolean }> };

export interface Options {
  /** The client's name in the server's lists. */
  client?: string;
  /** A token, if the server needs one; pages use the cookie of a session instead. */
  token?: string;
  /**
   * The shortest time between two values of one subscription, in milliseconds, unless it has its
   * own.
   */
  every?: number;
  onState?: (state: State) => void;
  /**
   * Called for each subscription that the server continues after a reconnect, or after it has ended
   * one with `slow`: whether anything was lost in between.
   */
  onGap?: (gap: Gap) => void;
  /**
   * Called with errors that a listener throws, subscriptions that are too long to send, and
   * unreadable frames. Without it they become unhandled rejections.
   */
  onError?: (error: unknown) => void;
  /**
   * Called with every message of the server and the number of characters of its frame, for meters
   * and logs.
   */
  onMessage?: (message: any, length: number) => void;
  /** Another implementation of WebSocket. */
  WebSocket?: unknown;
}

export interface State {
  readonly name: "connecting" | "live" | "reconnecting" | "offline" | "closed";
  /** Failed tries since the connection was up. */
  readonly tries: number;
  /** When the next try is made; milliseconds since 1970. */
  readonly at?: number;
  /** Since when it is up or was lost; undefined if it never was up. */
  readonly since?: number;
  /** The server reports that it cannot follow the others: values may be out of date. */
  readonly stale?: true;
  /** After a reconnect: how long it was away, milliseconds. */
  readonly gap?: number;
  /** How the last connection ended. */
  readonly code?: number;
  readonly reason?: string;
}

/** How a subscription continues, with its graph, nodes, mode and further options. */
export interface Gap extends Pick<Meta, "epoch" | "rev" | "gap" | "lost" | "lostRevs"> {
  readonly graph: string;
  readonly node?: string;
  readonly nodes?: string[];
  readonly mode?: "latest" | "all";
  readonly [option: string]: unknown;
}

/** The state of a node besides its value; requested with `facets`. */
export interface Facets {
  /**
   * When a mutable node was last set or confirmed, as of this delivery: milliseconds since 1970.
   */
  readonly t?: number;
  readonly loading?: true;
  /** How much of the load is done, 0…1. */
  readonly progress?: number;
  readonly stale?: true;
  readonly error?: { code: string; msg: string; at: number };
}

/** What has made a value. */
export type Origin = "set" | "source" | "link" | "tick" | "restore" | "expiry" | "initial";

export interface Meta {
  /** The commit's time, milliseconds since 1970. */
  readonly t: number;
  readonly rev: number;
  /** Changes when the server starts again. Revs are compared only within one epoch. */
  readonly epoch: string;
  /** The rev of the node's own last change, if it differs from `rev`. */
  readonly c?: number;
  /** The number of emissions in this one; above 1 the server has folded some. */
  readonly folded: number;
  readonly by?: string;
  readonly ctx?: unknown;
  /**
   * With `path`: the nodes that the value has passed, oldest first, to give to `set`; none after a
   * reconnect that has lost nothing.
   */
  readonly path?: string[];
  /** With `path` or `history`: what kind of cause the value has. */
  readonly origin?: Origin;
  /** A value from the node's history, requested with `history`. */
  readonly history?: boolean;
  /** The first delivery after a reconnect: how long the connection was away, milliseconds. */
  readonly gap?: number;
  /**
   * The server could not continue from the last revision: values before this one may be missing,
   * or a pipeline has begun anew.
   */
  readonly lost?: true;
  /**
   * How many revisions of the graph lie in between, so at most as many values are missing; only
   * within one epoch.
   */
  readonly lostRevs?: number;
  /** The node is empty; `value` is undefined. */
  readonly empty?: boolean;
  /**
   * The operator failed, or the value does not have the requested type (`type_mismatch`); `value`
   * is undefined.
   */
  readonly fail?: { code: string; at?: string; msg: string };
  /** The subscription has ended or was refused; `value` is undefined. */
  readonly ended?: { code: string; msg?: string; problems?: unknown[] };
  /**
   * With `facets`: the state besides the value, and whether this delivery is about the state alone.
   */
  readonly state?: Facets;
  readonly same?: true;
  /**
   * For several nodes: the names that changed, their values now, and how many nodes are left out
   * because there are too many, if that has changed.
   */
  readonly changed?: string[];
  readonly m?: Record<string, { v?: unknown; empty?: true; fail?: { code: string; msg: string }; gone?: true; state?: Facets; same?: true; path?: string[]; by?: string; origin?: Origin }>;
  readonly more?: number;
}

export interface WatchOptions {
  /** Stages that the server runs for this listener. */
  pipe?: unknown[];
  every?: number;
  /** "latest" (may be folded) or "all" (every value). */
  mode?: "latest" | "all";
  /** Bound for mode "all". */
  queue?: number;
  /** Whether `meta.state` has the state besides the value. */
  facets?: boolean;
  /** Whether producers are asked for missing and stale values. */
  load?: boolean;
  /** Whether `meta` has the value's `path` and `origin`. */
  path?: boolean;
  /** The owner or owners, up to eight; by default the connection. */
  owner?: string | string[];
  /**
   * How long the server keeps the pipeline running for this client after the connection breaks,
   * such as "30s". The default is "auto": 30 seconds if values depend on earlier ones, so that an
   * average continues after a reconnect, otherwise not at all.
   */
  keep?: string | number;
  /** How many of the newest values come first, if the node keeps a history. */
  history?: number;
  /** Further options of the protocol. */
  [option: string]: unknown;
}

/** Without a pipeline the value has the node's own type. */
export type NodeOptions = WatchOptions & { pipe?: undefined };

export interface Watch<T> {
  readonly value: T | undefined;
  readonly meta: Meta | undefined;
  /** Whether the value may be out of date: no connection, or the subscription has ended. */
  readonly stale: boolean;
  /** Subscribes again after the server has ended the subscription. */
  again(): void;
  close(): void;
}

declare global {
  /** For compilers whose library does not have it. */
  interface SymbolConstructor { readonly dispose: unique symbol; }
}

/** An owner of this connection: its watches last until it is released, or until each is closed. */
export interface Owner {
  watch: Client["watch"];
  stream: Client["stream"];
  link: Client["link"];
  sync: Client["sync"];
  /**
   * Ends all watches that only this owner has, with the code `closed`. The owner may be used again.
   */
  release(): void;
  /** The same, at the end of a `using` block. */
  [Symbol.dispose](): void;
}

/**
 * Called with `meta.fail` where a value was not set, with the first value that is set after that,
 * and with `meta.ended`.
 */
export type LinkListener = (value: unknown, meta: Partial<Meta>) => void;

export interface LinkOptions {
  /** Whether the present value is set when the link is made; true by default. */
  initial?: boolean;
  /** How many values may wait to be set; 256 by default. */
  queue?: number;
  /** The owner or owners, up to eight; by default the connection. */
  owner?: string | string[];
}

/** Whether clients listen to a node, and whether its value must be set now. */
export interface Demand { wanted: boolean; load?: true; }

export interface SetOptions {
  /** Nodes and globs to clear in the same commit. */
  clear?: string[];
  /** Names that expressions see, and their nodes. */
  with?: Record<string, string>;
  /**
   * Only if these nodes have this value, are empty, or have not changed since a revision; or if an
   * expression is true.
   */
  if?: Record<string, { v: unknown } | { empty: true } | { rev: number }> | string;
  ctx?: unknown;
  /** Cleared when this connection ends, unless another client has set them since. */
  presence?: boolean;
  /** A person made the set, not a program. */
  hand?: boolean;
  /** Where the value has been (`meta.path`): nodes among these are not set again. */
  path?: string[];
  /** An idempotency key; repeats with the same key within ten minutes are applied once. */
  key?: string;
}

export interface GetOptions { after?: Cursor; }

/** A raised alarm of a graph, with the node's value. */
export interface Alarm {
  node: string; severity: "info" | "warning" | "alarm"; title?: string; v?: unknown; fail?: { code: string; msg: string };
}

export interface GraphSummary {
  graph: string; title?: string; epoch: string; rev: number; nodes: number; listeners: number;
  /** The hash of the definition. */
  definition: string;
  /** The raised alarms, most urgent first; if there are more than twenty, their number. */
  alarms?: Alarm[]; alarmCount?: number;
  /** Nodes whose values are stale; if there are more than a hundred, their number. */
  stale?: string[]; staleCount?: number;
  /** Nodes that the definition no longer has and clients still set. */
  missed?: string[];
}

export interface Cursor { epoch: string; rev: number; }

/** What `set` resolves to; without a cursor if every node was skipped. */
export interface Applied extends Cursor { skipped?: string[]; }

export declare class SluiceError extends Error {
  /**
   * A code of the server (docs/protocol.md, "Errors"), or `not-connected`, `unknown-outcome`,
   * `key-expired`.
   */
  readonly code: string;
  /** "graph" or "graph/node". */
  readonly path?: string;
  readonly retry?: boolean;
  readonly after?: number;
  /** With `unknown-outcome`: the key of the set, and how to repeat it without applying it twice. */
  readonly key?: string;
  readonly repeat?: () => Promise<Cursor>;
}

export interface Client {
  readonly state: State;
  readonly limits: { msg: number; subs?: number; pipe?: number };
  /** The server's name for this connection, such as "c:7". */
  readonly session?: string;
  readonly server?: string;
  watch<P extends KnownNode>(target: P, type: null, fn: ((value: NodeValue<P> | undefined, meta: Meta) => void) | null, options?: NodeOptions): Watch<NodeValue<P>>;
  watch<T = unknown, P extends Target = Target>(target: Named<P>, type: Type<T>, fn: ((value: T | undefined, meta: Meta) => void) | null, options?: WatchOptions): Watch<T>;
  /** Its `return()` ends it at once. */
  stream<P extends KnownNode>(target: P, type?: null, options?: NodeOptions): AsyncGenerator<NodeValue<P>, void, void>;
  stream<T = unknown, P extends Target = Target>(target: Named<P>, type?: Type<T>, options?: WatchOptions): AsyncGenerator<T, void, void>;
  /**
   * Sets the node `to` to each value that `pipe` makes of the node `from`, until it is closed or
   * the connection ends; it is made again with each connection.
   */
  link(graph: string, from: string, to: string, fn?: LinkListener | null, options?: LinkOptions & { pipe?: unknown[] }): Watch<unknown>;
  /**
   * Keeps two nodes that are set in step: `to_b` makes a value of `b` from one of `a`, and `to_a`
   * the opposite; without them values are copied. When it begins, the value of `b` wins.
   */
  sync(graph: string, a: string, b: string, fn?: LinkListener | null, options?: LinkOptions & { to_b?: string; to_a?: string }): Watch<unknown>;
  /**
   * The owner with that name, for `watch`, `stream` and links; the same object for the same name.
   */
  owner(name: string): Owner;
  /**
   * Observes without owning; `fn` receives the protocol's `topo` and `topod`, and `{op: "end",
   * code, msg}`.
   */
  observe(graph: string, fn: (event: any) => void, options?: { every?: number; around?: string; depth?: number; members?: string[] }): Watch<never>;
  /**
   * Reports which of these nodes, names or globs, clients listen to. `fn` receives the wanted ones
   * by name, and the changes in `meta.m`; `load`: the node must be set now.
   */
  demand(graph: string, nodes: string | string[], fn: (wanted: Record<string, Demand>, meta: { m: Record<string, Demand>; changed: string[]; ended?: Meta["ended"] }) => void): Watch<Record<string, Demand>>;
  /** Reports the state of a node besides its value. */
  load<P extends string>(target: Named<P>, report: { loading?: boolean; progress?: number; error?: { code: string; msg: string }; notModified?: true; cancelled?: true; invalidate?: true }): Promise<Cursor>;
  set<P extends string>(target: Named<P>, value: SetValue<P>, options?: SetOptions): Promise<Applied>;
  /**
   * Computes the next values by expressions, in which `value` is the present one: of one node, or
   * of several of a graph.
   */
  update<P extends string>(target: Named<P>, expressions: string | Record<string, string>, options?: Omit<SetOptions, "presence">): Promise<Applied & { values: Record<string, unknown> }>;
  /** Clears the nodes that match a glob, or all, and that the client may read and set. */
  wipe(graph: string, match?: string): Promise<Applied>;
  /**
   * Keeps the node set while this client is connected: sets it now, if there is a connection, and
   * again with each new one; the server clears it when the connection ends. Without a value the
   * node is released. Resolves when the server has accepted it, or with null while there is no
   * connection; errors of later connections go to `onError`.
   */
  presence<P extends string>(target: Named<P>, value?: SetValue<P>): Promise<Cursor | null>;
  /**
   * Reads once. With `after`, the answer of a set, the state includes that commit, also at another
   * server: it waits for it, or fails with `not_ready` or `gone`.
   */
  get<P extends KnownNode>(target: P, type?: null, options?: GetOptions): Promise<NodeValue<P> | undefined>;
  get<T = unknown, P extends string = string>(target: Named<P>, type?: Type<T>, options?: GetOptions): Promise<T | undefined>;
  get(graph: string, nodes: string[], options?: GetOptions): Promise<Cursor & { t: number; m: NonNullable<Meta["m"]> }>;
  /**
   * The graphs there are. From then on `changes` is called with the graphs in which a node
   * begins or stops needing attention.
   */
  list(changes?: (graphs: string[]) => void): Promise<GraphSummary[]>;
  /**
   * Calls the function at every change of the state, like the option `onState`, until the function
   * that it returns is called.
   */
  onState(fn: (state: State) => void): () => void;
  /** Shows another token, now and with every connection that comes. */
  auth(token: string): Promise<{ expires?: number }>;
  /**
   * Connects now, also after `closed`; a client that is connected checks whether the server still
   * answers.
   */
  retry(): void;
  /**
   * Checks whether the server answers, and resolves with the round trip in milliseconds, or
   * `undefined` without an answer. The connection counts as lost if the server is silent for
   * `patience` seconds (4) and at most one more.
   */
  ping(patience?: number): Promise<number | undefined>;
  close(): void;
}

/**
 * JSON as it is sent: integers of 64 bits with every digit; throws for values that JSON would turn
 * into null. `space` as in `JSON.stringify`.
 */
export declare function encode(value: unknown, space?: number | string): string;
/** JSON as it is read: integers that a number cannot hold exactly are BigInt. */
export declare function decode(text: string): any;

/** Connects to a server; `url` may be relative to the page, http(s) or ws(s). */
export declare function connect(url?: string | URL, options?: Options): Client;
