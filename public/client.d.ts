/** A type that values are checked against: a constructor, or a function that gives the value back or throws. */
export type Type<T> = Check<T>["check"] | null;
/** Declared as a method, whose parameter may be narrower: `BigInt` does not take everything. */
interface Check<T> { check(value: unknown): T; }

/** "graph/node", "graph/room.*,hall" (names and globs), or the same as an object; `combine` makes one object of several nodes. */
export type Target =
  | string
  | { graph: string; node: string }
  | { graph: string; nodes: string[] }
  | { graph: string; combine: Record<string, string> };

export interface Options {
  /** What this client calls itself in the server's lists. */
  client?: string;
  /** A token for servers that want one; pages use the cookie of a session instead. */
  token?: string;
  /** Milliseconds between two values of one subscription at most, unless it says otherwise. */
  every?: number;
  onState?: (state: State) => void;
  /** What a listener throws, subscriptions that are too long to be sent, frames that cannot be read. Without it they are rejections that nobody handles. */
  onError?: (error: unknown) => void;
  /** Hears every message of the server as it came, and how many characters its frame had: for meters and logs. */
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
  /** After a reconnect: how long it was away, milliseconds. */
  readonly gap?: number;
  /** How the last connection ended. */
  readonly code?: number;
  readonly reason?: string;
}

/** What is known of a node besides its value; asked for with `facets`. */
export interface Facets {
  /** When a node that is set was set or confirmed last, as of the delivery that said so: milliseconds since 1970. */
  readonly t?: number;
  readonly loading?: true;
  /** How much of the load is done, 0…1. */
  readonly progress?: number;
  readonly stale?: true;
  readonly error?: { code: string; msg: string; at: number };
}

export interface Meta {
  /** The commit's time, milliseconds since 1970. */
  readonly t: number;
  readonly rev: number;
  /** Another epoch than before: the server has begun another history. */
  readonly epoch: string;
  /** The rev of the node's own last change, where it differs from `rev`. */
  readonly c?: number;
  /** How many emissions are in this one; more than 1 means that the server has folded. */
  readonly folded: number;
  readonly by?: string;
  readonly ctx?: unknown;
  /** A value from the node's history, asked for with `history`. */
  readonly history?: boolean;
  /** The first delivery after a reconnect: how long the connection was away, milliseconds. */
  readonly gap?: number;
  /** The node holds nothing; `value` is undefined. */
  readonly empty?: boolean;
  /** The operator failed, or the value is not of the type asked for (`type_mismatch`); `value` is undefined. */
  readonly fail?: { code: string; at?: string; msg: string };
  /** The subscription has ended or was refused; `value` is undefined. */
  readonly ended?: { code: string; msg?: string; problems?: unknown[] };
  /** With `facets`: what is known besides the value; whether this delivery is about that alone. */
  readonly state?: Facets;
  readonly same?: true;
  /** For several nodes: the names that changed, what they hold now, and how many stay out because there are too many, where that has changed. */
  readonly changed?: string[];
  readonly m?: Record<string, { v?: unknown; empty?: true; fail?: { code: string; msg: string }; gone?: true; state?: Facets; same?: true }>;
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
  /** Whether `meta.state` says what is known besides the value. */
  facets?: boolean;
  /** Whether producers are asked for a value where there is none, or a stale one. */
  load?: boolean;
  /** The owner or owners, up to eight; without them it is the connection. */
  owner?: string | string[];
  /**
   * How long the server keeps the pipeline running for this client when the connection breaks, such as "30s", which is the default where earlier values count for
   * what the pipeline gives: an average then goes on after a reconnect.
   */
  keep?: string | number;
  /** So many of the newest values first, where the node keeps a history. */
  history?: number;
  /** Further options of the protocol. */
  [option: string]: unknown;
}

export interface Watch<T> {
  readonly value: T | undefined;
  readonly meta: Meta | undefined;
  /** Whether the value may no longer be true: no connection, or the subscription has ended. */
  readonly stale: boolean;
  /** Asks again after the server has ended the subscription. */
  again(): void;
  close(): void;
}

declare global {
  /** For compilers whose library does not have it. */
  interface SymbolConstructor { readonly dispose: unique symbol; }
}

/** An owner of this connection: what is watched through it lasts until it is released, or until each watch is closed. */
export interface Owner {
  watch: Client["watch"];
  stream: Client["stream"];
  /** Ends all that only this owner watches; watches end with the code `closed`. The owner may be used again. */
  release(): void;
  /** The same, at the end of a `using` block. */
  [Symbol.dispose](): void;
}

/** Whether clients listen to a node, and whether its value is to be set now. */
export interface Demand { wanted: boolean; load?: true; }

export interface SetOptions {
  /** Nodes to make empty in the same commit. */
  clear?: string[];
  /** Only if these nodes hold this: a value, nothing, or what they held at a revision. */
  if?: Record<string, { v: unknown } | { empty: true } | { rev: number }>;
  ctx?: unknown;
  /** Cleared when this connection ends, unless somebody else has set them since. */
  presence?: boolean;
  /** A person made the set, not a program. */
  hand?: boolean;
  /** A key of your own; a repeat with the same key within ten minutes is applied once. */
  key?: string;
}

/** A raised alarm of a graph, with what the node holds. */
export interface Alarm {
  node: string; severity: "info" | "warning" | "alarm"; title?: string; v?: unknown; fail?: { code: string; msg: string };
}

export interface GraphSummary {
  graph: string; title?: string; epoch: string; rev: number; nodes: number; listeners: number;
  /** The hash of the definition. */
  definition: string;
  /** What calls for attention, the most urgent first; with more than twenty, how many there are. */
  alarms?: Alarm[]; alarmCount?: number;
  /** Nodes whose values are out of date; with more than a hundred, how many there are. */
  stale?: string[]; staleCount?: number;
  /** Nodes that the definition lost and clients still set. */
  missed?: string[];
}

export interface Cursor { epoch: string; rev: number; }

export declare class SluiceError extends Error {
  /** A code of the server (docs/protocol.md, "Errors"), or `not-connected`, `unknown-outcome`, `key-expired`. */
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
  /** What the server calls this connection, such as "c:7". */
  readonly session?: string;
  readonly server?: string;
  watch<T = unknown>(target: Target, type: Type<T>, fn: ((value: T | undefined, meta: Meta) => void) | null, options?: WatchOptions): Watch<T>;
  stream<T = unknown>(target: Target, type?: Type<T>, options?: WatchOptions): AsyncGenerator<T, void, void>;
  /** An owner of that name, for `watch` and `stream`; two of one name are the same owner. */
  owner(name: string): Owner;
  /** Looks without owning; `fn` hears the protocol's `topo` and `topod`, and `{op: "end", code, msg}`. */
  observe(graph: string, fn: (event: any) => void, options?: { every?: number; around?: string; depth?: number; members?: string[] }): Watch<never>;
  /**
   * Which of these nodes, names or globs, clients listen to. `fn` has the wanted ones by name, and in `meta.m` what has changed; `load`: the node is to
   * be set now.
   */
  demand(graph: string, nodes: string | string[], fn: (wanted: Record<string, Demand>, meta: { m: Record<string, Demand>; changed: string[]; ended?: Meta["ended"] }) => void): Watch<Record<string, Demand>>;
  /** Reports what is known of a node besides its value. */
  load(target: string, report: { loading?: boolean; progress?: number; error?: { code: string; msg: string }; notModified?: true; cancelled?: true; invalidate?: true }): Promise<Cursor>;
  set(target: string, value: unknown, options?: SetOptions): Promise<Cursor>;
  /**
   * Holds the node for as long as this client is connected: set now, if there is a connection, and again with each that comes; the server makes it
   * empty when the connection ends. Without a value the node is let go. Resolves when the server has accepted it, with null while there is no connection; what
   * is refused with a later connection goes to `onError`.
   */
  presence(target: string, value?: unknown): Promise<Cursor | null>;
  get<T = unknown>(target: string, type?: Type<T>): Promise<T | undefined>;
  get(graph: string, nodes: string[]): Promise<Cursor & { t: number; m: NonNullable<Meta["m"]> }>;
  /** The graphs there are. From then on `changes` hears in which of them something begins or ceases to call for attention. */
  list(changes?: (graphs: string[]) => void): Promise<GraphSummary[]>;
  /** Shows another token, now and with every connection that comes. */
  auth(token: string): Promise<{ expires?: number }>;
  /** Connects now, also after `closed`; asks a server that is connected whether it is still there. */
  retry(): void;
  /**
   * Asks whether the server is there, and resolves with the milliseconds of the round trip; with `undefined` when there was no answer.
   * Nothing at all from the server for `patience` seconds (4), and at most one more: the connection counts as lost.
   */
  ping(patience?: number): Promise<number | undefined>;
  close(): void;
}

/** JSON as it is sent: integers of 64 bits with every digit; throws at what JSON would make null. `space` as in `JSON.stringify`. */
export declare function encode(value: unknown, space?: number | string): string;
/** JSON as it is read: integers that a number cannot hold exactly are BigInt. */
export declare function decode(text: string): any;

/** Connects to a server; `url` may be relative to the page, http(s) or ws(s). */
export declare function connect(url?: string | URL, options?: Options): Client;
