// What the compiler knows of nodes whose graphs have been described by `sluice types --for ts`.
// `All` is the interface `Graphs` of client.d.ts: the nodes of each graph, by their names.

/** "graph/node" of every node in `All`; names of families are patterns. */
export type NodeOf<All> = {
  [G in keyof All & string]: `${G}/${keyof All[G] & string}`;
}[keyof All & string];

/** The type of the node's value; unknown if the graph is not in `All`. */
export type ValueOf<All, P> = P extends `${infer G}/${infer N}`
  ? G extends keyof All
    ? N extends keyof All[G] ? All[G][N] : unknown
    : unknown
  : unknown;

/** Refuses "graph/node" where the graph is in `All` and has no such node; globs and lists pass. */
export type Checked<All, P> = P extends `${infer G}/${infer N}`
  ? G extends keyof All
    ? N extends keyof All[G] | `${string}${"*" | ","}${string}`
      ? unknown
      : { problem: `there is no node ${N} in the graph ${G & string}` }
    : unknown
  : unknown;

/** What may be set: a value of a node, an object of nodes of a graph; nothing of a derived node. */
export type Settable<All, P> = P extends `${infer G}/${infer N}`
  ? G extends keyof All
    ? N extends keyof All[G]
      ? IsReadonly<All[G], N> extends true ? never : Sent<All[G][N]>
      : unknown
    : unknown
  : P extends keyof All
    ? { [N in keyof All[P] as IsReadonly<All[P], N> extends true ? never : N]?: Sent<All[P][N]> }
    : unknown;

/** Long integers are sent as BigInt. */
type Sent<T> = number extends T ? T | bigint : T;

/** Holds for names that are declared; the compiler does not say it of a family's members. */
type IsReadonly<Nodes, N extends keyof Nodes> =
  (<X>() => X extends Pick<Nodes, N> ? 1 : 2) extends
  (<X>() => X extends { -readonly [K in keyof Pick<Nodes, N>]: Nodes[K] } ? 1 : 2) ? false : true;
