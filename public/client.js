// A client of Sluice: docs/client.md shows how it is used, docs/protocol.md has its messages.
import { connection } from "./client/connection.js";
import { subscriptions } from "./client/subscriptions.js";
import { SluiceError, encode, typed, unsendable } from "./client/values.js";

export { SluiceError, decode, encode } from "./client/values.js";

// A stream that is read too slowly ends, like a subscription of mode `all`.
const LONGEST_STREAM = 10_000;

/** "graph/node" or "graph/a,b.*" as fields of a message. */
function parsed(target) {
  if (typeof target !== "string") return target;
  const [graph, node] = target.split("/");
  return /[*,]/.test(node) ? { graph, nodes: node.split(",") } : { graph, node };
}

export function connect(address = "/v1/ws", {
  every, onGap, onError = (error) => Promise.reject(error), ...options
} = {}) {
  const url = new URL(address, globalThis.location?.href);
  if (url.pathname === "/") url.pathname = "/v1/ws";
  // What `presence` sets with each connection.
  const claims = new Map();
  const away = new AbortController();
  let onChanges; // Of `list`.

  const api = {
    limits: { msg: 65_536 },

    // Values that come

    watch(target, type, fn, given) {
      return subs.join({ op: "sub", ...parsed(target), every, ...given }, type, fn);
    },

    stream(target, type, given) {
      const values = [];
      let ending, wake, handle;

      function take(value, { ended, empty, fail, m }) {
        if (ending || ended || values.length >= LONGEST_STREAM) {
          ending ??= ended ?? { code: "slow" };
          handle?.close();
        } else if (!empty && !fail) {
          // What changes in place is copied.
          values[given?.mode === "all" ? values.length : 0] = m ? { ...value } : value;
        }
        wake?.();
      }

      async function* read() {
        handle = api.watch(target, type, take, given);
        while (values.length || !ending) {
          if (values.length) yield values.shift();
          else await new Promise((resolve) => (wake = resolve));
        }
        if (!/^(complete|closed)$/.test(ending.code)) throw new SluiceError(ending);
      }

      const stream = read(), end = stream.return.bind(stream);
      // Not only with the next value.
      stream.return = () => {
        take(null, { ended: { code: "closed" } });
        return end();
      };
      return stream;
    },

    link(graph, from, to, fn, given) {
      return subs.join({ op: "link", graph, from, to, ...given }, null, fn, Symbol());
    },

    sync(graph, a, b, fn, given) {
      return subs.join({ op: "sync", graph, a, b, ...given }, null, fn, Symbol());
    },

    observe(graph, fn, given) {
      const listener = (event, { ended }) => fn(event ?? { op: "end", ...ended });
      return subs.join({ op: "observe", graph, every: 250, ...given }, null, listener, Symbol());
    },

    demand(graph, nodes, fn) {
      return subs.join({ op: "demand", graph, nodes: [nodes].flat() }, null, fn);
    },

    owner(owner) {
      const release = () => subs.release(owner);
      return {
        watch: (target, type, fn, given) => api.watch(target, type, fn, { ...given, owner }),
        stream: (target, type, given) => api.stream(target, type, { ...given, owner }),
        link: (graph, from, to, fn, given) => api.link(graph, from, to, fn, { ...given, owner }),
        sync: (graph, a, b, fn, given) => api.sync(graph, a, b, fn, { ...given, owner }),
        release,
        [Symbol.dispose]: release,
      };
    },

    // Requests

    async get(target, what, given) {
      const { graph, node, nodes = node ? [node] : what } = parsed(target);
      const answer = await line.read({ op: "get", graph, nodes, ...given });
      const held = answer.m[node];
      if (!held) return answer;
      if (held.fail) throw new SluiceError({ ...held.fail, path: target });
      return "v" in held ? typed(what, held.v) : undefined;
    },

    async list(fn = onChanges) {
      onChanges = fn;
      return (await line.read({ op: "list", changes: fn && true })).graphs;
    },

    async set(target, value, given) {
      const { graph, node } = parsed(target);
      if (encode(value) === undefined) throw unsendable(value);
      return commit(target, { graph, set: node ? { [node]: value } : value, ...given });
    },

    async update(target, expressions, given) {
      const { graph, node } = parsed(target);
      const update = node ? { [node]: expressions } : expressions;
      return commit(target, { graph, update, ...given });
    },

    async wipe(graph, match = "*") {
      return commit(graph, { graph, clear: [match] });
    },

    load(target, report) {
      return line.request({ op: "load", ...parsed(target), ...report }, target);
    },

    async presence(target, value) {
      const { graph, node } = parsed(target);
      if (value === undefined) {
        claims.delete(target);
        return line.isReady() ? commit(target, { graph, clear: [node] }) : null;
      }
      claims.set(target, value);
      return line.isReady() ? api.set(target, value, { presence: true }) : null;
    },

    close() {
      away.abort();
      subs.release();
      line.leave();
    },
  };

  function commit(path, fields) {
    const key = crypto.getRandomValues(new Uint32Array(4)).join("-");
    return line.request({ op: "set", key, ...fields }, path);
  }

  // Async: an error of its own does not come back.
  const report = async (error) => onError(error);

  /** Calls a function whose errors must not harm the client; returns its error. */
  function safely(act, ...given) {
    try {
      act?.(...given);
    } catch (error) {
      report(error);
      return error;
    }
  }

  const line = connection(api, url.href.replace(/^http/, "ws"), {
    ...options, safely,
    receive(message, sub) {
      const { op, graphs } = message;
      if (op === "hello") for (const claim of claims) api.presence(...claim).catch(report);
      if (op === "changes") safely(onChanges, graphs);
      else subs.receive(message, sub);
    },
  });
  const subs = subscriptions(api, line, safely, onGap);

  // The page

  const events = {
    online: line.wake,
    offline: () => api.ping(3),
    visibilitychange() {
      if (!document.hidden) line.wake();
      subs.changePace();
    },
    // A page that holds a connection is not kept for a way back.
    pagehide: line.leave,
    pageshow: ({ persisted }) => persisted && api.retry(),
  };
  for (const name in events) {
    globalThis.addEventListener?.(name, events[name], { signal: away.signal });
  }

  api.retry();
  return api;
}
