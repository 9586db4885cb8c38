// A client for pages, workers and Node 22. docs/client.md explains it; client.d.ts has the types.

const pauses = [250, 500, 1000, 2000, 5000, 10_000];

export class SluiceError extends Error {
  name = "SluiceError";
  constructor({ msg, ...rest }) { Object.assign(super(msg ?? rest.code), rest); }
}
const refusal = (code, msg, more) => new SluiceError({ code, msg, ...more });

// A BigInt is its digits, where the engine can; what JSON would make null is refused.
const encode = (value) => JSON.stringify(value, (_, each) => {
  if (typeof each === "number" && !Number.isFinite(each)) throw refusal("type_mismatch", `${each} cannot be sent`);
  return typeof each === "bigint" ? JSON.rawJSON(each) : each;
});
const exact = (_, value, context) => (/^-?\d{16,}$/.test(context?.source) && !Number.isSafeInteger(value) ? BigInt(context.source) : value);
const decode = (text) => JSON.parse(text, /\d{16}/.test(text) ? exact : undefined);
const told = ({ v, empty, fail }) => encode({ v, empty, fail });

function typed(type, value) {
  if (type === BigInt && Number.isSafeInteger(value)) return BigInt(value);
  if (![Number, String, Boolean, BigInt].includes(type)) return type ? type(value) : value;
  if (value?.constructor === type) return value;
  throw new TypeError(`expected ${type.name}, got ${value?.constructor.name ?? "null"}`);
}

function place(target) {
  if (typeof target !== "string") return target;
  const [graph, node] = target.split("/");
  return /[*,]/.test(node) ? { graph, nodes: node.split(",") } : { graph, node };
}

export function connect(address = "/v1/ws", options = {}) {
  const url = new URL(address, globalThis.location?.href), page = globalThis.document, away = new AbortController();
  const subs = new Map(), byID = new Map(), presences = new Set(), limits = { msg: 65536 };
  const report = options.onError ?? ((error) => queueMicrotask(() => { throw error; }));
  let socket, ready, wanted, since, timer, beat, hb, left, tries = 0, quiet = 0, ids = 0;
  const client = {
    limits, watch, observe, stream, set, presence, get, ping, retry, close,
    list: async () => (await request({ op: "list" })).graphs,
    auth: (token) => request({ op: "auth", token }),
  };

  function watch(target, type, fn, given) { return join({ op: "sub", ...place(target), every: options.every, ...given }, type, fn); }

  function observe(graph, fn, given) {
    const hear = (_, { ended, event = { op: "end", ...ended } }) => fn(event);
    return join({ op: "observe", graph, every: 250, ...given }, null, hear, Symbol(graph));
  }

  async function* stream(target, type, given = {}) {
    let values = [], end, wake;
    const handle = watch(target, type, (value, { ended, empty, fail }) => {
      if (ended) end = ended;
      else if (empty || fail) return;
      else if (given.mode !== "all") values = [value];
      else if (values.push(value) > 10_000) end = { code: "slow", msg: "10,000 values were not read" };
      wake?.();
    }, given);
    try {
      for (;;) {
        while (values.length) yield values.shift();
        if (end) break;
        await new Promise((resolve) => (wake = resolve));
      }
    } finally { handle.close(); }
    if (!/^(complete|done|closed)$/.test(end.code)) throw new SluiceError(end);
  }

  async function set(target, value, { key = crypto.getRandomValues(new BigUint64Array(2)).join("-"), ...given } = {}) {
    const { graph, node } = place(target);
    if (encode(value) === undefined) throw refusal("type_mismatch", "undefined cannot be sent");
    return request({ op: "set", graph, set: node ? { [node]: value } : value, key, ...given }, target);
  }

  function presence(target, value) {
    const { graph, node } = place(target);
    const send = () => ready && set(target, value, { presence: true }).catch((error) => ready && report(error));
    presences.add(send);
    send();
    return {
      set(next) { value = next; send(); },
      close() { if (presences.delete(send)) set(graph, {}, { clear: [node] }).catch(() => {}); },
    };
  }

  async function get(target, what) {
    const { graph, node, nodes = what } = place(target);
    const answer = await request({ op: "get", graph, nodes: node ? [node] : nodes }), held = answer.m[node];
    if (held?.fail) throw new SluiceError({ ...held.fail, path: target });
    return !held ? answer : "v" in held ? typed(what, held.v) : undefined;
  }

  function request(fields, path = fields.graph) {
    return new Promise((resolve, reject) => {
      if (!ready) throw refusal("not-connected", "not connected", { path });
      const id = ++ids, text = encode({ ...fields, id });
      if (new TextEncoder().encode(text).length > limits.msg) throw refusal("too_large", `longer than ${limits.msg} bytes`, { path });
      byID.set(id, { resolve, reject, fields, path });
      socket.send(text);
    });
  }

  function answered({ op, id, node, ...answer }, { fields, path, resolve, reject }) {
    byID.delete(id);
    if (op === "ok") resolve(answer);
    else reject(new SluiceError({ ...answer, node, path: node ? `${fields.graph}/${node}` : path }));
  }

  function send(message) { socket.send(encode({ id: ++ids, ...message })); }

  function retry() {
    if (socket) return void ping(3);
    wanted = true;
    open();
  }

  function close() {
    wanted = false;
    away.abort();
    for (const sub of subs.values()) over(sub, { code: "closed", msg: "the client was closed" });
    subs.clear();
    drop(1000, "");
  }

  function open() {
    const { WebSocket = globalThis.WebSocket, client: name, token } = options;
    clearTimeout(timer);
    say();
    try { socket = new WebSocket(url, "sluice.v1.json"); } catch (error) {
      report(error);
      return drop(4400, error.message);
    }
    const mine = socket;
    beat = setInterval(tick, 1000);
    left = 10;
    mine.onopen = () => send({ op: "hello", client: name, token });
    mine.onclose = ({ code, reason }) => mine === socket && drop(code, reason);
    mine.onmessage = ({ data }) => {
      if (mine !== socket) return;
      left = quiet = 0;
      try { for (const message of [decode(data)].flat()) receive(message ?? {}, data.length); } catch (error) {
        report(error);
        drop(4500, "malformed");
      }
    };
  }

  function receive(message, length) {
    const { op, d, code } = message;
    // What could not be read has no id: it is about the oldest request.
    const id = message.id ?? (op === "err" ? [...byID].find(([, { reject }]) => reject)?.[0] : 0), of = byID.get(id);
    options.onMessage?.(message, length);
    if (op === "upd") for (const entry of d) deliver(byID.get(entry.id), entry, message);
    else if (op === "hello") welcome(message);
    else if (op === "hb") for (const sub of subs.values()) sub.stale = message.stale;
    else if (!of) return void (op === "err" && !ready && drop(4401, code));
    else if (of.reject) answered({ ...message, id }, of);
    else if (op === "snap") snap(of, message);
    else if (op === "end" || op === "err") over(of, message);
    else if (op === "topo" || op === "topod") tell(of, {}, { event: message });
  }

  function welcome(message) {
    const gap = since && Date.now() - since, { session, server } = message;
    Object.assign(client, { session, server });
    Object.assign(limits, message.limits);
    hb = message.hb ?? 25;
    ready = true;
    since = Date.now();
    say({ gap });
    for (const sub of subs.values()) {
      sub.gap = gap;
      if (sub.ended !== "complete") ask(sub);
    }
    for (const send of presences) send();
  }

  // What waits is told, and unless it is over, another try is due.
  function drop(code, reason) {
    const now = Date.now(), waiting = [...byID.values()];
    clearTimeout(timer);
    clearInterval(beat);
    socket?.close();
    byID.clear();
    if (ready && now - since > 5000) tries = 0;
    if (ready) since = now;
    socket = ready = undefined;
    const pause = Number(/"after":(\d+)/.exec(reason)?.[1]) || Math.random() * (pauses[tries] ?? 10_000);
    wanted &&= code < 4000 || code >= 4500;
    if (wanted) timer = setTimeout(open, pause, tries++);
    say({ code, reason, at: wanted ? now + pause : undefined });
    for (const { fields, path, reject } of waiting) {
      const repeat = async () => {
        if (Date.now() < now + 600_000) return request(fields, path);
        throw refusal("key-expired", "too long ago to repeat: look at the value first", { path });
      };
      // It may have been applied. The same key cannot apply it twice, for as long as the server remembers keys.
      reject?.(refusal("unknown-outcome", "the connection was lost before the answer", { path, key: fields.key, repeat }));
    }
  }

  // Ticks are counted, not time: timers that stood still say nothing about the server.
  function tick() {
    if (left) return void (--left || drop(4508, "no answer"));
    if (ready && ++quiet >= hb) ping(hb);
  }

  function ping(ticks = 4) {
    const start = performance.now();
    if (ready) left = Math.min(left || ticks, ticks);
    return request({ op: "ping" }).then(() => performance.now() - start, () => undefined);
  }

  function say(more) {
    const isLong = globalThis.navigator?.onLine === false || Date.now() - since > 30_000;
    const name = ready ? "live" : !wanted ? "closed" : !since && !tries ? "connecting" : isLong ? "offline" : "reconnecting";
    client.state = Object.freeze({ ...more, name, tries: ready ? 0 : tries, since });
    try { options.onState?.(client.state); } catch (error) { report(error); }
  }

  // Subscriptions are kept as what is wanted, and asked for again on every connection.
  function join(fields, type, fn, key = encode(Object.entries(fields).sort())) {
    const sub = subs.get(key) ?? { key, fields, watchers: new Set(), values: fields.nodes && {} };
    const handle = {
      type, fn,
      get stale() { return !byID.has(sub.id) || !!sub.stale; },
      again() { ask(sub); },
      close() {
        if (!sub.watchers.delete(handle) || sub.watchers.size) return;
        // A view that changes often asks again for the same a moment later.
        sub.timer = setTimeout(() => {
          subs.delete(key);
          if (byID.has(sub.id)) send({ op: "unsub", id: sub.id });
        }, fields.op === "sub" ? 250 : 0);
      },
    };
    clearTimeout(sub.timer);
    subs.set(key, sub);
    sub.watchers.add(handle);
    if (sub.entry) queueMicrotask(() => sub.watchers.has(handle) && !handle.meta && hear(handle, sub.values, sub.entry, sub.meta));
    ask(sub);
    return handle;
  }

  function ask(sub) {
    if (!ready || byID.has(sub.id) || subs.get(sub.key) !== sub) return;
    const { fields, cursor: since } = sub;
    byID.set((sub.id = ++ids), sub);
    sub.ended = undefined;
    send({ ...fields, id: sub.id, every: pace(fields), since, history: since ? undefined : fields.history });
  }

  function pace({ every = 0, mode }) { return page?.visibilityState === "hidden" && mode !== "all" ? Math.max(1000, every) : every; }

  function show() {
    if (wanted && page.visibilityState === "visible") retry();
    for (const [id, { fields, watchers }] of byID) if (watchers && fields.mode !== "all") send({ op: "mod", sub: id, every: pace(fields) });
  }

  function snap(sub, message) {
    const { epoch, rev, c, d = [], resumed, m } = message, known = sub.entry;
    sub.cursor = { epoch, rev };
    if (m && !resumed) for (const each in sub.values) if (!(each in m)) delete sub.values[each];
    for (const entry of d) deliver(sub, entry, entry, !resumed);
    sub.cursor.rev = rev;
    const inHistory = d.length && !resumed && d.at(-1).rev === (c ?? rev);
    if (known && resumed === false && !m && told(known) === told(message)) Object.assign(sub.meta, { rev, c, epoch });
    else if (!inHistory && ("v" in message || message.empty || message.fail || m)) deliver(sub, message, message);
  }

  function deliver(sub, entry, { rev, t, by, ctx }, history) {
    if (!sub) return;
    const { c, n: folded = 1, empty, fail, m } = entry, { cursor, gap, values } = sub;
    const meta = { t, rev, epoch: cursor.epoch, c, folded, by, ctx, history, gap, empty, fail };
    if (m) Object.assign(meta, { changed: Object.keys(m), m });
    for (const each in m) if ("v" in m[each]) values[each] = m[each].v; else delete values[each];
    Object.assign(sub, { entry, meta, gap: undefined });
    cursor.rev = rev;
    tell(sub, entry, meta);
  }

  function tell({ watchers, values }, entry, meta) { for (const handle of watchers) hear(handle, values, entry, meta); }

  function hear(handle, value, entry, meta) {
    try { if ("v" in entry) value = typed(handle.type, entry.v); } catch ({ message: msg }) {
      meta = { ...meta, fail: { code: "type_mismatch", msg } };
    }
    Object.assign(handle, { value, meta });
    try { handle.fn?.(value, meta); } catch (error) { report(error); }
  }

  function over(sub, { code, msg, retry, after = 1000, problems }) {
    byID.delete(sub.id);
    if (retry || code === "slow") setTimeout(ask, after * (1 + Math.random() / 4), sub);
    if (subs.get(sub.key) !== sub || code === "shutdown") return;
    sub.ended = code;
    tell(sub, {}, { ...sub.meta, ended: { code, msg, problems } });
  }

  const on = (event, act, target = globalThis) => target.addEventListener?.(event, act, { signal: away.signal });
  on("visibilitychange", show, page);
  on("online", () => wanted && retry());
  on("offline", () => ping(3));
  // The listener goes at once when the page does, and comes back with it from the back/forward cache.
  on("pagehide", () => { wanted = false; drop(1000, ""); });
  on("pageshow", ({ persisted }) => persisted && retry());
  url.protocol = url.protocol.replace("http", "ws");
  retry();
  return client;
}
