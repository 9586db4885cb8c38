// A client of Sluice in one module, for pages, workers and Node 22 and newer. docs/client.md explains it, client.d.ts has the types.

const pauses = [250, 500, 1000, 2000, 5000, 10000];
const now = () => performance.now();
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const told = ({ v, empty, fail }) => encode({ v, empty, fail });

/** What was refused, by the server or here. `code` is stable; `path` is the graph or graph/node it is about. */
export class SluiceError extends Error {
  constructor({ msg, op, id, ...rest }) {
    super(msg ?? rest.code);
    this.name = "SluiceError";
    Object.assign(this, rest);
  }
}

/** JSON in which a BigInt is its digits. What JSON cannot say (NaN, undefined) is refused instead of becoming null. */
function encode(value) {
  if (typeof value === "bigint") return `${value}`;
  if (value && typeof value === "object" && !value.toJSON) {
    if (Array.isArray(value)) return `[${value.map(encode)}]`;
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    return `{${keys.map((key) => `${JSON.stringify(key)}:${encode(value[key])}`)}}`;
  }
  const text = typeof value === "number" && !Number.isFinite(value) ? undefined : JSON.stringify(value);
  if (text === undefined) throw new SluiceError({ code: "type_mismatch", msg: `${String(value)} cannot be sent as JSON` });
  return text;
}

/** Integers that a double cannot hold come as BigInt, where the engine tells their digits; everything else as JSON says. */
const exact = (_, value, context) =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source) ? BigInt(context.source) : value;
const decode = (text) => (/\d{16}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text));

function typed(type, value) {
  if (!type) return value;
  if (type === BigInt && Number.isSafeInteger(value)) return BigInt(value);
  if (![Number, String, Boolean, BigInt].includes(type)) return type(value);
  if (typeof value === type.name.toLowerCase()) return value;
  throw new TypeError(`expected ${type.name}, got ${value === null ? "null" : typeof value}`);
}

/** "graph", "graph/node", "graph/room.*" or an object with graph and node, nodes or combine. */
function place(target) {
  if (typeof target !== "string") return target;
  const cut = target.indexOf("/");
  if (cut < 0) return { graph: target };
  const graph = target.slice(0, cut), node = target.slice(cut + 1);
  return /[*,]/.test(node) ? { graph, nodes: node.split(",") } : { graph, node };
}

const randomKey = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export const connect = (url = "/v1/ws", options = {}) => new Client(url, options);

class Client {
  state = Object.freeze({ name: "connecting", tries: 0 });
  meters = { rtt: null, messages: 0, updates: 0, bytes: 0 };
  limits = { msg: 65536 };
  #url; #options; #socket = null; #wanted = false; #ready = false; #timer; #beat; #away = new AbortController();
  #ids = 0; #subs = new Map(); #byID = new Map(); #requests = new Map(); #presences = new Set();
  #hb = 25000; #heard = 0; #pinged = 0; #pingAt = 0; #patience = 0; #ticked = 0; #opened = 0; #trips = []; #trip = 0;
  #tries = 0; #lostAt = 0; #upSince = 0; #epochs = new Map(); #hidden = false;

  constructor(url, options) {
    this.#url = new URL(url, globalThis.location?.href);
    this.#url.protocol = this.#url.protocol.replace("http", "ws");
    this.#options = options;
    const page = globalThis.document, { signal } = this.#away;
    const on = (target, name, act) => target?.addEventListener?.(name, act, { signal });
    this.#hidden = page?.visibilityState === "hidden";
    on(page, "visibilitychange", () => this.#show(page.visibilityState === "hidden"));
    on(globalThis, "online", () => this.#wanted && this.retry());
    on(globalThis, "offline", () => this.check());
    if (page) {
      // The listener goes at once when the page does, and comes back with it from the back/forward cache.
      on(globalThis, "pagehide", () => { this.#wanted = false; this.#drop(1000, ""); });
      on(globalThis, "pageshow", (event) => event.persisted && this.retry());
    }
    this.retry();
  }

  // Asking

  /** Listens: `fn(value, meta)` now and at every change. Equal requests share one subscription. */
  watch(target, type, fn, { pipe, every = this.#options.every, mode, queue, history } = {}) {
    const { graph, node, nodes, combine } = place(target);
    const watcher = { type, fn, group: !!nodes };
    return this.#join({ op: "sub", graph, node, nodes, combine, pipe, every, mode, queue, history }, watcher);
  }

  /** Looks at a graph without owning any of it: `fn` hears `topo`, `topod` and `end`, as the protocol has them. */
  observe(graph, fn, { every } = {}) {
    return this.#join({ op: "observe", graph, every }, { raw: true, fn }, `${++this.#ids}`);
  }

  /** Values as `for await` takes them; a slow reader gets the newest, in mode `all` every one. */
  async *stream(target, type, options = {}) {
    let values = [], end, wake;
    const handle = this.watch(target, type, (value, meta) => {
      if (meta.ended) end = meta.ended;
      else if (meta.empty || meta.fail) return;
      else if (options.mode !== "all") values = [value];
      else if (values.push(value) > 10000) end = { code: "slow", msg: "10,000 values were not read" };
      wake?.();
    }, options);
    try {
      for (;;) {
        while (values.length) yield values.shift();
        if (end && !/^(complete|done|closed)$/.test(end.code)) throw new SluiceError(end);
        if (end) return;
        await new Promise((resolve) => (wake = resolve));
      }
    } finally { handle.close(); }
  }

  /** Sets "graph/node" to a value, or several nodes of "graph" at once. Resolves once the server has accepted it. */
  async set(target, value, { clear, if: condition, ctx, presence, key = randomKey() } = {}) {
    const { graph, node } = place(target);
    const set = node === undefined ? value : { [node]: value };
    if (value === undefined) encode(value);
    return this.#request({ op: "set", graph, set, clear, if: condition, ctx, presence, key }, node ? `${graph}/${node}` : graph);
  }

  /** A value that is there while this client is: set again after every reconnect, cleared when the connection ends. */
  presence(target, value) {
    const { graph, node } = place(target);
    const send = () => this.#ready && this.#request({ op: "set", graph, set: { [node]: value }, presence: true })
      .catch((error) => /^(not-connected|unknown-outcome)$/.test(error.code) || this.#report(error));
    this.#presences.add(send);
    send();
    return {
      set: (next) => { value = next; send(); },
      close: () => { if (this.#presences.delete(send)) this.#request({ op: "set", graph, clear: [node] }).catch(() => {}); },
    };
  }

  /** The value of "graph/node" (undefined when empty), or `{epoch, rev, t, m}` of several nodes of "graph". */
  async get(target, what) {
    const { graph, node, nodes } = place(target);
    const answer = await this.#request({ op: "get", graph, nodes: node ? [node] : nodes ?? what }, graph);
    if (!node) return answer;
    const { v, empty, fail } = answer.m[node];
    if (fail) throw new SluiceError({ ...fail, path: target });
    return empty ? undefined : typed(what, v);
  }

  /** All graphs with their titles and counts. */
  async list() { return (await this.#request({ op: "list" })).graphs; }
  async auth(token) { return this.#request({ op: "auth", token }); }

  // The connection

  /** Connects now instead of after the pause, also after `closed`; checks a connection that is up. */
  retry() {
    if (this.#away.signal.aborted) return;
    this.#wanted = true;
    if (!this.#beat) { this.#ticked = now(); this.#beat = setInterval(() => this.#tick(), 1000); }
    if (this.#socket) return this.check();
    clearTimeout(this.#timer);
    this.#open();
  }

  /** Asks whether the server is still there; without an answer within two seconds the connection counts as lost. */
  check() { if (this.#ready) { this.#patience = 2000; if (!this.#pinged) this.#ping(); setTimeout(() => this.#tick(), 2050); } }

  close() {
    this.#wanted = false;
    this.#away.abort();
    for (const sub of this.#subs.values()) { clearTimeout(sub.timer); this.#end(sub, { code: "closed", msg: "the client was closed" }); }
    this.#subs.clear();
    this.#drop(1000, "");
  }

  #open() {
    const { WebSocket = globalThis.WebSocket, client, token } = this.#options;
    this.#say(this.#lostAt ? "reconnecting" : "connecting");
    let socket;
    try { socket = this.#socket = new WebSocket(this.#url, "sluice.v1.json"); } catch (error) {
      this.#report(error);
      return this.#drop(4400, error.message);
    }
    this.#opened = now();
    socket.onopen = () => this.#send({ op: "hello", id: ++this.#ids, client, token });
    socket.onmessage = ({ data }) => {
      this.#heard = now();
      this.#patience = this.#usual;
      this.meters.messages++;
      this.meters.bytes += data.length;
      if (this.state.late) this.#say(this.state.name, { ...this.state, late: false });
      try { for (const message of [decode(data)].flat()) this.#receive(message ?? {}); } catch (error) {
        this.#report(error);
        this.#drop(4500, "malformed");
      }
    };
    socket.onclose = ({ code, reason }) => socket === this.#socket && this.#drop(code, reason);
  }

  #receive(message) {
    const sub = this.#byID.get(message.id), { op } = message;
    if (op === "hello") return this.#welcome(message);
    if (op === "upd") {
      for (const entry of message.d) {
        this.meters.updates += entry.n ?? 1;
        this.#deliver(this.#byID.get(entry.id), entry, message);
      }
    } else if (op === "snap" && sub) this.#snap(sub, message);
    else if ((op === "topo" || op === "topod") && sub) {
      if (op === "topo") this.#epoch(sub, message);
      this.meters.updates += message.val?.length ?? 0;
      this.#call(sub, message, message);
    } else if ((op === "end" || op === "err") && sub) this.#over(sub, message);
    else if (op === "ok" || op === "err") this.#answered(message);
    else if (op === "hb") for (const each of this.#subs.values()) each.stale = !!message.stale;
  }

  #welcome({ hb = 25, limits, session, server }) {
    const gap = this.#lostAt ? Date.now() - this.#lostAt : undefined;
    this.#hb = hb * 1000;
    this.#patience = this.#usual;
    Object.assign(this.limits, limits);
    Object.assign(this, { session, server });
    this.#ready = true;
    this.#lostAt = this.#trip = 0;
    this.#upSince = now();
    this.#trips = [];
    this.#say("live", { gap });
    for (const sub of this.#subs.values()) {
      sub.gap = gap;
      if (sub.ended?.code !== "complete") this.#ask(sub);
    }
    for (const send of this.#presences) send();
    if (this.#options.ping) this.#ping();
  }

  /** The socket is gone, or treated as if: what waits is told, and unless it is over, another try is due. */
  #drop(code, reason) {
    const socket = this.#socket, waiting = [...this.#requests.values()];
    clearTimeout(this.#timer);
    this.#pinged = 0;
    this.#socket = null;
    if (socket) { socket.onopen = socket.onmessage = socket.onclose = null; socket.onerror = () => {}; socket.close(); }
    if (this.#ready && now() - this.#upSince > 5000) this.#tries = 0;
    if (this.#ready || !this.#lostAt && this.state.since) this.#lostAt = Date.now();
    this.#ready = false;
    this.#byID.clear();
    this.#requests.clear();
    if (!this.#wanted || (code >= 4000 && code < 4500)) {
      clearInterval(this.#beat);
      this.#wanted = this.#beat = false;
      this.#say("closed", { code, reason });
    } else {
      let after;
      try { after = code === 4503 ? JSON.parse(reason).after : undefined; } catch { /* no pause is named */ }
      const pause = after ?? Math.random() * pauses[Math.min(this.#tries, pauses.length - 1)];
      this.#tries++;
      this.#say("reconnecting", { at: Date.now() + pause, code, reason });
      this.#timer = setTimeout(() => this.#open(), pause);
    }
    for (const { fields, path, reject } of waiting) {
      const { op, key } = fields, until = Date.now() + 600_000;
      // It may have been applied. Repeating with the same key cannot apply it twice, for as long as the server remembers keys.
      reject(op !== "set" ? new SluiceError({ code: "not-connected", msg: "the connection was lost", path }) : new SluiceError({
        code: "unknown-outcome", msg: "the connection was lost before the server answered", path, key,
        repeat: async () => Date.now() < until ? this.#request(fields, path) : Promise.reject(
          new SluiceError({ code: "key-expired", msg: "too long ago to repeat; look at the value and set it anew", path })),
      }));
    }
  }

  // Alive?

  get #pings() { return this.#hidden ? 0 : this.#options.ping; }
  get #usual() { return this.#pings ? 2 * this.#pings : this.#hb; }

  #tick() {
    const time = now(), slept = time - this.#ticked > 5000;
    this.#ticked = time;
    if (!this.#ready) {
      if (this.#socket && time - this.#opened > 10_000) return this.#drop(4508, "no answer");
      if (this.#socket && time - this.#opened > 2000 && !this.state.late) this.#say(this.state.name, { ...this.state, late: true });
      else if (this.#offline !== (this.state.name === "offline") && this.#lostAt) this.#say("reconnecting", this.state);
      return;
    }
    const quiet = time - Math.max(this.#heard, this.#pinged);
    if (this.#pinged) {
      // Timers that stood still say nothing about the server.
      if (slept) this.#pinged = time;
      else if (quiet >= this.#patience) this.#drop(4508, "no answer");
      else if (quiet > 1500 && !this.state.late) this.#say("live", { ...this.state, late: true });
    } else if (time - (this.#pings ? this.#pingAt : this.#heard) >= (this.#pings || this.#hb)) this.#ping();
  }

  #ping() {
    this.#pinged = this.#pingAt = now();
    this.#request({ op: "ping" }).then(() => {
      // The first trip is one of a page that is loading.
      if (this.#pinged && this.#trip++) this.#trips = [...this.#trips.slice(-4), now() - this.#pingAt];
      this.#pinged = 0;
      if (this.#trips.length) this.meters.rtt = median(this.#trips);
    }, () => {});
  }

  #show(hidden) {
    this.#hidden = hidden;
    if (!hidden && this.#wanted) this.retry();
    this.#patience = hidden ? this.#usual : 2000;
    for (const sub of this.#byID.values()) {
      if (sub.fields.mode !== "all") this.#send({ op: "mod", id: ++this.#ids, sub: sub.id, every: this.#pace(sub) ?? (sub.raw ? 250 : 0) });
    }
  }

  #pace({ fields: { every, mode } }) { return this.#hidden && mode !== "all" ? Math.max(1000, every ?? 0) : every; }
  get #offline() { return globalThis.navigator?.onLine === false || (this.#lostAt > 0 && Date.now() - this.#lostAt > 30_000); }

  #say(name, more = {}) {
    if (name === "reconnecting" && this.#offline) name = "offline";
    const since = name === "live" ? more.since ?? Date.now() : this.#lostAt || this.state.since;
    this.state = Object.freeze({ ...more, name, tries: name === "live" ? 0 : this.#tries, since });
    try { this.#options.onState?.(this.state); } catch (error) { this.#report(error); }
  }

  #report(error) {
    if (this.#options.onError) this.#options.onError(error);
    else queueMicrotask(() => { throw error; });
  }

  // Subscriptions: kept as what is wanted, asked for again on every connection

  #join(fields, watcher, unique = "") {
    const key = encode(fields) + unique;
    let sub = this.#subs.get(key);
    if (!sub) {
      this.#subs.set(key, (sub = { key, fields, raw: watcher.raw, watchers: new Set(), values: watcher.group ? {} : null }));
      if (this.#ready) this.#ask(sub);
    } else if (sub.entry) queueMicrotask(() => watcher.closed || watcher.meta || this.#hear(sub, watcher, sub.entry, sub.meta));
    clearTimeout(sub.timer);
    sub.watchers.add(watcher);
    const client = this;
    return {
      get value() { return watcher.value; },
      get meta() { return watcher.meta; },
      get stale() { return !client.#ready || !sub.id || !!sub.ended || !!sub.stale; },
      again() { if (client.#ready && (sub.ended || !sub.id)) client.#ask(sub); },
      close() {
        watcher.closed = true;
        sub.watchers.delete(watcher);
        // A view that changes often asks again for the same a moment later.
        if (!sub.watchers.size) sub.timer = setTimeout(() => client.#leave(sub), sub.raw ? 0 : 250);
      },
    };
  }

  #leave(sub) {
    this.#subs.delete(sub.key);
    if (this.#byID.get(sub.id) === sub) this.#send({ op: "unsub", id: sub.id });
  }

  #ask(sub) {
    sub.id = ++this.#ids;
    sub.ended = null;
    this.#byID.set(sub.id, sub);
    const { history, ...rest } = sub.fields;
    this.#send({ ...rest, id: sub.id, every: this.#pace(sub), since: sub.cursor, history: sub.cursor ? undefined : history });
  }

  #snap(sub, message) {
    const { epoch, rev, c, d = [], resumed } = message, known = sub.entry;
    this.#epoch(sub, message);
    sub.cursor = { epoch, rev };
    if (message.m && !resumed) for (const name in sub.values) if (!(name in message.m)) delete sub.values[name];
    for (const entry of d) this.#deliver(sub, entry, entry, resumed ? undefined : true);
    sub.cursor.rev = rev;
    const inHistory = d.length && !resumed && d.at(-1).rev === (c ?? rev);
    const same = known && resumed === false && !sub.values && told(known) === told(message);
    if (same) sub.meta = { ...sub.meta, rev, c, epoch };
    else if (!inHistory && ("v" in message || message.empty || message.fail || message.m)) this.#deliver(sub, message, message);
  }

  #epoch(sub, { epoch }) {
    const before = this.#epochs.get(sub.fields.graph);
    this.#epochs.set(sub.fields.graph, epoch);
    if (before && before !== epoch && this.state.gap !== undefined && !this.state.restarted) this.#say("live", { ...this.state, restarted: true });
  }

  #deliver(sub, entry, { rev, t, by, ctx }, history) {
    if (!sub) return;
    sub.cursor.rev = rev;
    if (!history) sub.entry = entry;
    sub.meta = { t, rev, epoch: sub.cursor.epoch, c: entry.c, folded: entry.n ?? 1, by, ctx, history, gap: sub.gap, empty: entry.empty, fail: entry.fail };
    sub.gap = undefined;
    if (entry.m) {
      for (const [name, { v, empty, fail, gone }] of Object.entries(entry.m)) {
        if (empty || fail || gone) delete sub.values[name]; else sub.values[name] = v;
      }
      Object.assign(sub.meta, { changed: Object.keys(entry.m), m: entry.m });
    }
    this.#call(sub, entry, sub.meta);
  }

  #call(sub, entry, meta) { for (const watcher of sub.watchers) this.#hear(sub, watcher, entry, meta); }

  #hear(sub, watcher, entry, meta) {
    try {
      if (sub.raw) return watcher.fn(entry);
      let value;
      if (sub.values) value = sub.values;
      else if ("v" in entry && !meta.ended) {
        try { value = typed(watcher.type, entry.v); } catch (error) {
          meta = { ...meta, fail: { code: "type_mismatch", msg: error.message } };
        }
      }
      Object.assign(watcher, { value, meta });
      watcher.fn?.(value, meta);
    } catch (error) { this.#report(error); }
  }

  /** The server has ended a subscription, or not begun it. It is asked for again where that helps. */
  #over(sub, { op, code, msg, retry, after, problems }) {
    this.#byID.delete(sub.id);
    sub.id = 0;
    if (retry || code === "slow") setTimeout(() => this.#ready && !sub.id && this.#subs.get(sub.key) === sub && this.#ask(sub), after ?? 1000);
    if (this.#subs.get(sub.key) === sub && code !== "shutdown") this.#end(sub, { code, msg, problems });
  }

  #end(sub, ended) {
    sub.ended = ended;
    this.#call(sub, sub.raw ? { op: "end", ...ended } : {}, { ...sub.meta, ended });
  }

  // Requests

  #request(fields, path) {
    return new Promise((resolve, reject) => {
      if (!this.#ready) throw new SluiceError({ code: "not-connected", msg: "not connected", path });
      const id = ++this.#ids, text = encode({ ...fields, id });
      if (new TextEncoder().encode(text).length > this.limits.msg) {
        throw new SluiceError({ code: "too_large", msg: `longer than the ${this.limits.msg} bytes that the server takes`, path });
      }
      this.#requests.set(id, { resolve, reject, fields, path });
      this.#socket.send(text);
    });
  }

  #answered(message) {
    // What could not be read has no id; answers come in order, so it is about the oldest.
    const id = message.id ?? this.#requests.keys().next().value, request = this.#requests.get(id);
    this.#requests.delete(id);
    if (message.op === "ok") return request?.resolve(message);
    const path = message.node && request?.fields.graph ? `${request.fields.graph}/${message.node}` : request?.path;
    if (request) request.reject(new SluiceError({ ...message, path }));
    else if (!this.#ready) this.#drop(4401, message.code);
  }

  #send(message) { if (this.#socket?.readyState === 1) this.#socket.send(encode(message)); }
}
