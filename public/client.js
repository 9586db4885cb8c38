// A client of Sluice for pages, workers and Node: one module without dependencies.
//
// docs/client.md shows how it is used, client.d.ts has its types, docs/protocol.md the messages.

/** A refusal of the server or of this client. `code` is for programs, `message` for people. */
export class SluiceError extends Error {
  name = "SluiceError";

  constructor({ msg, ...fields }) {
    super(msg ?? fields.code);
    Object.assign(this, fields);
  }
}

const refusal = (code, msg, path, more) => new SluiceError({ code, msg, path, ...more });

const unsendable = (value) => refusal("type_mismatch", `${String(value)} cannot be sent`);

// Values

/** JSON in which a BigInt keeps every digit. Throws for what JSON cannot express, such as NaN. */
export function encode(value, space) {
  return JSON.stringify(value, (_, each) => {
    if (typeof each === "number" && !isFinite(each)) throw unsendable(each);
    return typeof each === "bigint" ? JSON.rawJSON(each) : each;
  }, space);
}

/** Reads that JSON: an integer that no number holds exactly becomes a BigInt. */
export function decode(text) {
  // A reviver is slow, so it is only used where such an integer may be.
  return JSON.parse(text, /\d{16}/.test(text) ? exactInteger : undefined);
}

// Engines that do not pass the source give the nearest number.
function exactInteger(_, value, { source } = {}) {
  const isLong = /^-?\d{16,}$/.test(source);
  return isLong && BigInt(source) != value ? BigInt(source) : value;
}

/** The value, if it has the type that a listener asks for; otherwise throws. */
function typed(type, value) {
  if (!type) return value;
  if (![Number, String, Boolean, BigInt].includes(type)) return type(value);
  if (value?.constructor === type) return value;
  if (type === BigInt && Number.isInteger(value)) return BigInt(value);
  throw new TypeError(`expected ${type.name}, got ${value && typeof value}`);
}

/** What a delivery says about its node, as text that can be compared. */
const content = ({ v, empty, fail, state }) => encode({ v, empty, fail, state });

/** With `facets` a delivery may lack the state or the value: what was known of it still holds. */
function merged(known, next) {
  const hasValue = next.v !== undefined || next.empty || next.fail || next.gone || next.m;
  if (hasValue) return { state: known?.state, ...next, same: undefined };
  return { ...known, ...next, n: 1, same: true };
}

// Targets

/** "graph/node" or "graph/a,b.*" as the fields of a message; an object already has them. */
function parsed(target) {
  if (typeof target !== "string") return target;
  const [graph, node] = target.split("/");
  return /[*,]/.test(node) ? { graph, nodes: node.split(",") } : { graph, node };
}

/** Whether the subscription is more than nodes as they are. */
const isPipeline = ({ op, node, nodes, pipe }) => op === "sub" && !nodes && (!node || !!pipe);

// A stream that is read too slowly ends, as a subscription of mode `all` does.
const LONGEST_STREAM = 10_000;
// So long the server knows the key of a set, in milliseconds, like all times here.
const KEY_LIFETIME = 600_000;
// A subscription outlives its last listener by this: the next view may need the same.
const LINGER = 250;
// The longest pauses before the first tries to connect again, and before all others.
const PAUSES = [250, 500, 1000, 2000, 5000];
const LONGEST_PAUSE = 10_000;
// A connection that lasted so long has worked: the pauses begin anew.
const STABLE = 5_000;

export function connect(address = "/v1/ws", {
  client, token, every, onState, onMessage, onGap,
  onError = (error) => Promise.reject(error),
  WebSocket = globalThis.WebSocket,
} = {}) {
  const url = new URL(address, globalThis.location?.href).href.replace(/^http/, "ws");
  const away = new AbortController();

  // Subscriptions by what they ask for. They stay when the connection breaks.
  const subs = new Map();
  // Requests without an answer, and subscriptions that the server has, by the id of their message.
  const byID = new Map();
  // What `presence` has set: the server forgets it when a connection ends.
  const claims = new Map();
  // Reads that came before the first connection.
  const reads = [];
  const limits = { msg: 65_536 };

  let socket; // The present one, also while it is being opened.
  let isReady = false; // The server has answered `hello`.
  let isWanted = false; // A connection that is lost is made anew.
  let since; // When it became ready or was lost; undefined if it never was ready.
  let tries = 0; // Failed ones in a row.
  let timer; // The heartbeat of a socket, or the pause before the next one.
  let ticksLeft; // Seconds until a silent connection counts as lost.
  let heartbeat; // Of the server, in seconds.
  let isStale; // The server reports that it cannot follow the others.
  let onChanges; // Receives the names of graphs whose alarms have changed.
  let lastID = 0;

  const api = {
    limits, watch, stream, link, sync, owner, observe, demand,
    get, list, set, update, wipe, load, presence,
    auth, ping, retry, close,
  };

  /** Calls a function of the program, whose errors must not harm the client. */
  function safely(act, ...given) {
    try {
      act?.(...given);
    } catch (error) {
      onError(error);
    }
  }

  // What a client offers

  function watch(target, type, fn, given) {
    return join({ op: "sub", ...parsed(target), every, ...given }, type, fn);
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

  function owner(name) {
    const release = () => {
      if (isReady) send({ op: "release", owner: name });
      for (const sub of [...subs.values()]) {
        const owners = new Set([sub.fields.owner].flat());
        if (!owners.delete(name)) continue;
        subs.delete(sub.key);
        if (owners.size) {
          // Others own it still: it goes on, but is no longer what an equal request would get.
          sub.fields = { ...sub.fields, owner: [...owners] };
          sub.key = Symbol();
          subs.set(sub.key, sub);
        } else {
          finish(sub);
        }
      }
    };
    return {
      watch: (target, type, fn, given) => watch(target, type, fn, { ...given, owner: name }),
      stream: (target, type, given) => stream(target, type, { ...given, owner: name }),
      link: (graph, from, to, fn, given) => link(graph, from, to, fn, { ...given, owner: name }),
      sync: (graph, a, b, fn, given) => sync(graph, a, b, fn, { ...given, owner: name }),
      release,
      [Symbol.dispose]: release,
    };
  }

  function link(graph, from, to, fn, given) {
    return join({ op: "link", graph, from, to, ...given }, null, fn, Symbol());
  }

  function sync(graph, a, b, fn, given) {
    return join({ op: "sync", graph, a, b, ...given }, null, fn, Symbol());
  }

  function observe(graph, fn, given) {
    const listener = (event, { ended }) => fn(event ?? { op: "end", ...ended });
    return join({ op: "observe", graph, every: 250, ...given }, null, listener, Symbol());
  }

  function demand(graph, nodes, fn) {
    return join({ op: "demand", graph, nodes: [nodes].flat() }, null, fn);
  }

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
    const key = crypto.getRandomValues(new Uint32Array(4)).join("-");
    const fields = { op: "set", graph, set: node ? { [node]: value } : value, key, ...given };
    return request(fields, target);
  }

  function update(target, expressions, given) {
    const { graph, node } = parsed(target);
    return set(graph, {}, { ...given, update: node ? { [node]: expressions } : expressions });
  }

  function wipe(graph, match = "*") {
    return set(graph, {}, { clear: [match] });
  }

  function load(target, report) {
    return request({ op: "load", ...parsed(target), ...report }, target);
  }

  async function presence(target, value) {
    const { graph, node } = parsed(target);
    if (value === undefined) {
      claims.delete(target);
      return isReady ? set(graph, {}, { clear: [node] }) : null;
    }
    claims.set(target, value);
    return isReady ? set(target, value, { presence: true }) : null;
  }

  function auth(next) {
    token = next;
    return request({ op: "auth", token });
  }

  /** The round trip in milliseconds; undefined if there is no answer within so many seconds. */
  function ping(patience = 4) {
    const start = performance.now();
    if (isReady) ticksLeft = Math.min(ticksLeft, Math.ceil(patience) + 1);
    return request({ op: "ping" }).then(() => performance.now() - start, () => {});
  }

  /** Connects at once; where there is a connection, makes sure that it works. */
  function retry() {
    if (socket) return void ping(2);
    isWanted = true;
    open();
  }

  function close() {
    away.abort();
    for (const sub of subs.values()) finish(sub);
    subs.clear();
    leave();
  }

  // Requests

  /** Before the first connection a read waits, because it can do no harm. A set does not. */
  async function read(fields) {
    if (api.state.name === "connecting") await new Promise((go) => reads.push(go));
    return request(fields);
  }

  function request(fields, path = fields.graph, until = Date.now() + KEY_LIFETIME) {
    return new Promise((resolve, reject) => {
      if (Date.now() > until) throw refusal("key-expired", "too late", path);
      if (!isReady || !isOpen()) throw refusal("not-connected", "not connected", path);
      send(fields, { resolve, reject, fields, path, until });
    });
  }

  /** `waiting`, a request or a subscription, receives the answers. */
  function send(message, waiting) {
    const id = ++lastID;
    const text = encode({ id, ...message });
    if (new Blob([text]).size > limits.msg) {
      throw refusal("too_large", `over ${limits.msg} bytes`, waiting?.path);
    }
    if (waiting) byID.set(id, Object.assign(waiting, { id }));
    if (isOpen()) socket.send(text);
  }

  /** A socket that closes sends no more, and says that it is closed a moment later. */
  function isOpen() {
    return socket.readyState === 1;
  }

  /** Only the program knows whether a request whose outcome is unknown should still be made. */
  function abandon({ reject, fields, path, until }) {
    const repeat = () => request(fields, path, until);
    reject(refusal("unknown-outcome", "connection lost", path, { key: fields.key, repeat }));
  }

  // The connection

  function open() {
    clearTimeout(timer);
    try {
      socket = new WebSocket(url, "sluice.v1.json");
    } catch (error) {
      onError(error);
      return drop(4400, error.message);
    }
    ticksLeft = 10;
    timer = setInterval(tick, 1000);
    socket.onopen = () => send({ op: "hello", client, token });
    socket.onclose = ({ code, reason }) => drop(code, reason);
    socket.onmessage = ({ data }) => {
      try {
        for (const message of [decode(data) ?? []].flat()) receive(message, data.length);
      } catch (error) {
        onError(error);
        drop(4500, "malformed");
      }
      ticksLeft = 2 * heartbeat;
    };
    report();
  }

  /** Ticks are counted, not time: a computer that slept has not waited for an answer. */
  function tick() {
    ticksLeft -= 1;
    if (!ticksLeft) drop(4508, "no answer");
    else if (ticksLeft === heartbeat) ping(heartbeat);
  }

  function receive(message, length) {
    safely(onMessage, message, length);
    // A listener may have closed the client.
    if (!socket) return;
    const { op, id = op === "err" ? oldestRequest() : undefined } = message;
    const waiting = byID.get(id);
    if (op === "upd") for (const entry of message.d) deliver(byID.get(entry.id), entry, message);
    else if (op === "hello") welcome(message);
    else if (op === "hb") isStale = message.stale;
    else if (op === "changes") safely(onChanges, message.graphs);
    else if (!waiting) {
      if (op === "err" && !isReady) drop(/_down/.test(message.code) ? 4503 : 4401, message.code);
    } else if (waiting.reject) settle(waiting, message);
    else if (/snap|linked/.test(op)) begin(waiting, message);
    else if (op === "end" || op === "err") end(waiting, message);
    else if (op === "topo" || op === "topod") notify(waiting, { v: message }, {});
    else if (op === "wanted") demanded(waiting, message);
  }

  /** Answers come in order: an error without an id is that of the oldest request. */
  function oldestRequest() {
    return [...byID].find(([, { reject }]) => reject)?.[0];
  }

  function settle({ id, resolve, reject, fields, path }, message) {
    byID.delete(id);
    if (message.op === "ok") return resolve(message);
    const at = message.node ? `${fields.graph}/${message.node}` : path;
    reject(new SluiceError({ ...message, path: at }));
  }

  /** The server knows the client: what it held is asked for again. */
  function welcome(message) {
    const now = Date.now();
    const gap = since && now - since;
    ({ hb: heartbeat, session: api.session, server: api.server } = message);
    Object.assign(limits, message.limits);
    isReady = true;
    isStale = false;
    since = now;
    report({ gap });
    for (const claim of claims) presence(...claim).catch(onError);
    for (const sub of subs.values()) {
      sub.cut = { ...sub.cut, gap };
      if (sub.ended !== "complete") safely(ask, sub);
    }
  }

  /** Ends the connection, and arranges for the next one unless the client is not welcome. */
  function drop(code, reason) {
    const now = Date.now();
    const abandoned = [...byID.values()].filter(({ reject }) => reject);
    clearTimeout(timer);
    if (socket) Object.assign(socket, { onmessage: null, onclose: null }).close();
    byID.clear();
    if (isReady && now - since > STABLE) tries = 0;
    if (isReady) since = now;
    socket = null;
    // Random, so that not all come back at once.
    const random = Math.random() * (PAUSES[tries] ?? LONGEST_PAUSE);
    const pause = Number(/"after":(\d+)/.exec(reason)?.[1]) || random;
    // Below 4500 the client is at fault; a proxy may have a new token.
    isWanted &&= code < 4000 || code >= 4500 || (isReady && /expired/.test(reason));
    isReady = false;
    if (isWanted) {
      timer = setTimeout(open, pause);
      tries += 1;
    }
    report({ code, reason, at: isWanted ? now + pause : undefined });
    abandoned.forEach(abandon);
  }

  function leave() {
    isWanted = false;
    drop(1000);
  }

  function stateName() {
    if (isReady) return "live";
    if (!isWanted) return "closed";
    if (!since && !tries) return "connecting";
    const isLong = Date.now() - since > 30_000;
    return navigator.onLine === false || isLong ? "offline" : "reconnecting";
  }

  function report(more) {
    const name = stateName();
    api.state = { ...more, name, tries: isReady ? 0 : tries, since };
    if (name !== "connecting") for (const go of reads.splice(0)) go();
    safely(onState, api.state);
  }

  // Subscriptions

  /**
   * Adds a listener to the subscription that asks for this, and makes one if there is none.
   * Objects of several nodes are changed in place, so each listener has one of its own.
   */
  function join(fields, type, fn, key = fields.nodes ? Symbol() : keyOf(fields)) {
    const sub = subs.get(key) ?? {
      key, fields, watchers: new Set(), values: fields.nodes && {},
    };
    const handle = {
      type, fn,
      get stale() { return isStale || !byID.has(sub.id); },
      again: () => ask(sub),
      close() {
        if (!sub.watchers.delete(handle) || sub.watchers.size) return;
        // One with a key of its own can be shared by no other view.
        sub.timer = setTimeout(unsubscribe, typeof key === "string" ? LINGER : 0, sub);
      },
    };
    clearTimeout(sub.timer);
    subs.set(key, sub);
    sub.watchers.add(handle);
    // A further listener gets the value that the others have, unless one comes first.
    if (sub.entry) queueMicrotask(() => {
      if (!sub.watchers.has(handle) || handle.meta) return;
      notify(sub, sub.entry, { ...sub.meta, same: undefined }, [handle]);
    });
    safely(ask, sub);
    return handle;
  }

  const keyOf = (fields) => encode(Object.entries(fields).sort());

  /** Subscribes, where the connection does not have the subscription. */
  function ask(sub) {
    if (!isReady || byID.has(sub.id) || !sub.watchers.size) return;
    const { fields, cursor } = sub;
    sub.isNew = true;
    send({
      // A window, for example, outlives the connection; the server knows what has a memory.
      keep: isPipeline(fields) ? "auto" : undefined,
      ...fields,
      every: paced(fields),
      since: cursor,
      history: cursor ? undefined : fields.history,
    }, sub);
  }

  /** A page that is not seen needs a value a second, except where each value counts. */
  function paced({ op, every = 0, mode }) {
    const least = globalThis.document?.hidden && mode !== "all" ? 1000 : 0;
    if (/sub|obs/.test(op)) return Math.max(least, every);
  }

  function unsubscribe(sub) {
    subs.delete(sub.key);
    if (byID.has(sub.id)) send({ op: "unsub", id: sub.id });
  }

  function finish(sub) {
    clearTimeout(sub.timer);
    end(sub, { code: "closed" });
    sub.watchers.clear();
  }

  function end(sub, { code, msg, retry, after = 1000, problems }) {
    byID.delete(sub.id);
    // It goes on with the next connection.
    if (code === "shutdown") return;
    sub.ended = code;
    if (retry || code === "slow") setTimeout(ask, after * (1 + Math.random() / 4), sub);
    // A copy, because a listener may subscribe again.
    notify(sub, {}, { ...sub.meta, ended: { code, msg, problems } }, [...sub.watchers]);
  }

  // What subscriptions receive

  /** The first answer to a subscription: what is now, or what has happened since the cursor. */
  function begin(sub, message) {
    const { epoch, rev, local, ticket, c, d = [], resumed, m } = message;
    const { entry: known, cursor, fields } = sub;
    const wasLost = resumed === false;
    if (wasLost) sub.cut = withLoss(sub.cut, cursor, message);
    const { cut } = sub;
    sub.cursor = { epoch, rev, local, ticket };
    // What the whole does not name is no longer there.
    if (!resumed && m) for (const name in sub.values) m[name] ??= { gone: true };
    for (const entry of d) deliver(sub, entry, entry, !resumed);
    sub.cursor.rev = rev;
    const news = content(message);
    const isKnown = known && wasLost && !m && fields.mode !== "all" && content(known) === news;
    if (isKnown) {
      // No call for a value that listeners have; what has changed besides is in their `meta`.
      Object.assign(sub.meta, { rev, c, epoch });
      for (const { meta = {} } of sub.watchers) Object.assign(meta, { rev, c, epoch, ...cut });
    } else {
      // The last entry of a history may be the present value already.
      const isDelivered = !resumed && d.at(-1)?.rev === (c ?? rev);
      if (!isDelivered && (m || news !== "{}")) deliver(sub, message, message);
      else if (isDelivered && message.state) deliver(sub, { state: message.state }, message);
    }
    if (sub.ended && known) deliver(sub, known, { ...sub.meta, rev });
    if (resumed !== undefined) safely(onGap, { ...fields, epoch, rev, ...cut });
  }

  /** Losses add up until the next delivery, however often the connection breaks before it. */
  function withLoss(cut, cursor, { epoch, rev }) {
    // Revs can be compared within one history only.
    const isComparable = cursor.epoch === epoch && rev >= cursor.rev;
    const lostRevs = isComparable ? rev - cursor.rev + (cut?.lostRevs ?? 0) : undefined;
    return { ...cut, lost: true, lostRevs };
  }

  /** The first message of a connection names all nodes that are wanted, later ones the changes. */
  function demanded(sub, { m }) {
    const { values } = sub;
    if (sub.isNew) for (const name in values) m[name] ??= { wanted: false };
    sub.isNew = false;
    for (const name in m) {
      if (m[name].wanted) values[name] = m[name];
      else delete values[name];
    }
    notify(sub, { v: values }, { m, changed: Object.keys(m) });
  }

  /** An emission of a node, or of several in `m`, with the commit that it belongs to. */
  function deliver(sub, entry, { rev, t, by, ctx }, history) {
    // Of a subscription that this client has just ended.
    if (!sub) return;
    if (sub.fields.facets) entry = withFacets(sub, entry);
    const { c, n: folded = 1, empty, fail, m, more, state, same, path, origin } = entry;
    const { cursor, values, cut: { gap, lost, lostRevs } = {} } = sub;
    for (const name in m) {
      if ("v" in m[name]) values[name] = m[name].v;
      else delete values[name];
    }
    const changed = m && Object.keys(m);
    const meta = {
      t, rev, epoch: cursor.epoch, c, folded, by: path ? entry.by : by, ctx, history,
      empty, fail, m, changed, more, state, same, path, origin,
    };
    Object.assign(sub, { entry, meta, cut: undefined, ended: undefined });
    cursor.rev = rev;
    // A loss is reported once, with the first delivery after it.
    notify(sub, entry, { ...meta, gap, lost, lostRevs });
  }

  function withFacets(sub, entry) {
    const whole = merged(sub.entry, entry);
    const parts = (sub.parts ??= {});
    for (const name in whole.m) {
      parts[name] = whole.m[name] = merged(parts[name], whole.m[name]);
    }
    return whole;
  }

  function notify({ values, watchers }, entry, meta, receivers = watchers) {
    for (const handle of receivers) {
      Object.assign(handle, { value: values, meta });
      if ("v" in entry) {
        try {
          handle.value = typed(handle.type, entry.v);
        } catch (error) {
          handle.meta = { ...meta, fail: { code: "type_mismatch", msg: error.message } };
        }
      }
      safely(handle.fn, handle.value, handle.meta);
    }
  }

  // The page

  /** Subscriptions may come less often while the page is hidden, and as asked for otherwise. */
  function changePace() {
    for (const [id, { fields, watchers }] of byID) {
      const every = watchers && fields.mode !== "all" ? paced(fields) : undefined;
      if (every >= 0) send({ op: "mod", sub: id, every });
    }
  }

  const events = {
    online: () => isWanted && retry(),
    offline: () => ping(3),
    visibilitychange() {
      if (isWanted && !document.hidden) retry();
      changePace();
    },
    // A page that the browser puts aside must not hold a connection, or it cannot be shown again.
    pagehide: leave,
    pageshow: ({ persisted }) => persisted && retry(),
  };
  for (const name in events) {
    globalThis.addEventListener?.(name, events[name], { signal: away.signal });
  }

  retry();
  return api;
}
