// A client of Sluice for pages, workers and Node: ES modules without dependencies.
//
// docs/client.md shows how it is used, client.d.ts has its types, docs/protocol.md the messages.
import { connection } from "./client/connection.js";
import { subscriptions } from "./client/subscriptions.js";
import { SluiceError, encode, typed, unsendable } from "./client/values.js";

export { SluiceError, decode, encode } from "./client/values.js";

// A stream that is read too slowly ends, as a subscription of mode `all` does.
const LONGEST_STREAM = 10_000;

/** "graph/node" or "graph/a,b.*" as the fields of a message; an object already has them. */
function parsed(target) {
  if (typeof target !== "string") return target;
  const [graph, node] = target.split("/");
  return /[*,]/.test(node) ? { graph, nodes: node.split(",") } : { graph, node };
}

export function connect(address = "/v1/ws", {
  client, token, every, onState, onMessage, onGap,
  onError = (error) => Promise.reject(error),
  WebSocket = globalThis.WebSocket,
} = {}) {
  const url = new URL(address, globalThis.location?.href).href.replace(/^http/, "ws");
  const away = new AbortController();

  const api = {
    limits: { msg: 65_536 }, watch, stream, link, sync, owner, observe, demand,
    get, list, set, update, wipe, load, presence, close,
  };

  const line = connection(api, url, {
    client, token, WebSocket, onState, onMessage, onError, safely,
    onWelcome(gap) {
      for (const claim of claims) presence(...claim).catch(onError);
      subs.restore(gap);
    },
    onNews(message, sub) {
      if (message.op === "changes") safely(onChanges, message.graphs);
      else subs.receive(message, sub);
    },
  });
  const { read, request, isReady, auth, ping, retry } = line;
  Object.assign(api, { auth, ping, retry });

  const subs = subscriptions(line, safely, onGap);
  // What `presence` has set: the server forgets it when a connection ends.
  const claims = new Map();
  let onChanges; // Receives the names of graphs whose alarms have changed.

  /** Calls a function of the program, whose errors must not harm the client. */
  function safely(act, ...given) {
    try {
      act?.(...given);
    } catch (error) {
      onError(error);
    }
  }

  // Values that come

  function watch(target, type, fn, given) {
    return subs.join({ op: "sub", ...parsed(target), every, ...given }, type, fn);
  }

  async function* stream(target, type, given) {
    const values = [];
    let ending, wake;
    const handle = watch(target, type, (value, { ended, empty, fail, m }) => {
      if (ending || ended || values.length >= LONGEST_STREAM) {
        ending ??= ended ?? { code: "slow" };
      } else if (!empty && !fail) {
        // An object of several nodes is changed in place, so a stream gives copies.
        values[given?.mode === "all" ? values.length : 0] = m ? { ...value } : value;
      }
      wake?.();
    }, given);
    try {
      while (values.length || !ending) {
        if (values.length) yield values.shift();
        else await new Promise((resolve) => (wake = resolve));
      }
    } finally {
      handle.close();
    }
    if (!/^(complete|closed)$/.test(ending.code)) throw new SluiceError(ending);
  }

  function link(graph, from, to, fn, given) {
    return subs.join({ op: "link", graph, from, to, ...given }, null, fn, Symbol());
  }

  function sync(graph, a, b, fn, given) {
    return subs.join({ op: "sync", graph, a, b, ...given }, null, fn, Symbol());
  }

  function observe(graph, fn, given) {
    const listener = (event, { ended }) => fn(event ?? { op: "end", ...ended });
    return subs.join({ op: "observe", graph, every: 250, ...given }, null, listener, Symbol());
  }

  function demand(graph, nodes, fn) {
    return subs.join({ op: "demand", graph, nodes: [nodes].flat() }, null, fn);
  }

  function owner(name) {
    const release = () => subs.release(name);
    return {
      watch: (target, type, fn, given) => watch(target, type, fn, { ...given, owner: name }),
      stream: (target, type, given) => stream(target, type, { ...given, owner: name }),
      link: (graph, from, to, fn, given) => link(graph, from, to, fn, { ...given, owner: name }),
      sync: (graph, a, b, fn, given) => sync(graph, a, b, fn, { ...given, owner: name }),
      release,
      [Symbol.dispose]: release,
    };
  }

  // Requests

  async function get(target, what, given) {
    const { graph, node, nodes = node ? [node] : what } = parsed(target);
    const answer = await read({ op: "get", graph, nodes, ...given });
    const held = answer.m[node];
    if (!held) return answer;
    if (held.fail) throw new SluiceError({ ...held.fail, path: target });
    return "v" in held ? typed(what, held.v) : undefined;
  }

  async function list(fn = onChanges) {
    onChanges = fn;
    return (await read({ op: "list", changes: fn && true })).graphs;
  }

  async function set(target, value, given) {
    const { graph, node } = parsed(target);
    if (encode(value) === undefined) throw unsendable(value);
    return commit(target, { graph, set: node ? { [node]: value } : value, ...given });
  }

  async function update(target, expressions, given) {
    const { graph, node } = parsed(target);
    return commit(target, { graph, update: node ? { [node]: expressions } : expressions, ...given });
  }

  async function wipe(graph, match = "*") {
    return commit(graph, { graph, clear: [match] });
  }

  /** The key lets the server recognize a repetition. */
  function commit(path, fields) {
    const key = crypto.getRandomValues(new Uint32Array(4)).join("-");
    return request({ op: "set", key, ...fields }, path);
  }

  function load(target, report) {
    return request({ op: "load", ...parsed(target), ...report }, target);
  }

  async function presence(target, value) {
    const { graph, node } = parsed(target);
    if (value === undefined) {
      claims.delete(target);
      return isReady() ? set(graph, {}, { clear: [node] }) : null;
    }
    claims.set(target, value);
    return isReady() ? set(target, value, { presence: true }) : null;
  }

  // The page

  function close() {
    away.abort();
    subs.finishAll();
    line.leave();
  }

  const events = {
    online: () => line.isWanted() && retry(),
    offline: () => ping(3),
    visibilitychange() {
      if (line.isWanted() && !document.hidden) retry();
      subs.changePace();
    },
    // A page that the browser puts aside must not hold a connection, or it cannot be shown again.
    pagehide: line.leave,
    pageshow: ({ persisted }) => persisted && retry(),
  };
  for (const name in events) {
    globalThis.addEventListener?.(name, events[name], { signal: away.signal });
  }

  retry();
  return api;
}
