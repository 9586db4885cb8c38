// docs/client.md explains it; client.d.ts has the types.

const pauses = [250, 500, 1000, 2000, 5000];

export class SluiceError extends Error {
  name = "SluiceError";
  constructor({ msg, ...rest }) { Object.assign(super(msg ?? rest.code), rest); }
}
const refusal = (code, msg, more) => new SluiceError({ code, msg, ...more });
const unfit = (value) => refusal("type_mismatch", `${String(value)} cannot be sent`);

// What JSON would make null is refused.
const encode = (value) => JSON.stringify(value, (_, each) => {
  if (typeof each === "number" && !Number.isFinite(each)) throw unfit(each);
  return typeof each === "bigint" ? JSON.rawJSON(each) : each;
});
const decode = (text) => JSON.parse(text, /\d{16}/.test(text) ? (_, value, { source } = {}) =>
  (/^-?\d{16,}$/.test(source) && !Number.isSafeInteger(value) ? BigInt(source) : value) : undefined);
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

export function connect(address = "/v1/ws", {
  client: name, token, every, onState, onMessage, onError = (error) => queueMicrotask(() => { throw error; }),
  WebSocket = globalThis.WebSocket,
} = {}) {
  const url = new URL(address, globalThis.location?.href), page = globalThis.document, away = new AbortController();
  const subs = new Map(), byID = new Map(), presences = new Set(), limits = { msg: 65536 };
  const safely = (act, ...given) => { try { act?.(...given); } catch (error) { onError(error); } };
  let socket, ready, wanted, since, timer, left, hb = 25, tries = 0, ids = 0;
  const client = {
    limits, watch, observe, stream, set, presence, get, ping, retry, close,
    list: async () => (await request({ op: "list" })).graphs,
    auth: (token) => request({ op: "auth", token }),
  };

  function watch(target, type, fn, given) { return join({ op: "sub", ...place(target), every, ...given }, type, fn); }

  function observe(graph, fn, given) {
    const hear = (event, { ended }) => fn(event ?? { op: "end", ...ended });
    return join({ op: "observe", graph, every: 250, ...given }, null, hear, Symbol(graph));
  }

  async function* stream(target, type, given = {}) {
    let values = [], end, wake;
    const handle = watch(target, type, (value, { ended, empty, fail }) => {
      if (ended) end = ended;
      else if (empty || fail) return;
      else if (given.mode !== "all") values = [value];
      else if (values.push(value) > 10_000) end = { code: "slow" };
      wake?.();
    }, given);
    try {
      while (values.length || !end) {
        if (values.length) yield values.shift();
        else await new Promise((resolve) => (wake = resolve));
      }
    } finally { handle.close(); }
    if (!/^(complete|closed)$/.test(end.code)) throw new SluiceError(end);
  }

  async function set(target, value, { key = crypto.getRandomValues(new BigUint64Array(2)).join("-"), ...given } = {}) {
    const { graph, node } = place(target);
    if (encode(value) === undefined) throw unfit(value);
    return request({ op: "set", graph, set: node ? { [node]: value } : value, key, ...given }, target);
  }

  function presence(target, value) {
    const { graph, node } = place(target);
    const send = () => set(target, value, { presence: true }).catch((error) => ready && onError(error));
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

  function request(fields, path = fields.graph, until = Infinity) {
    return new Promise((resolve, reject) => {
      if (Date.now() > until) throw refusal("key-expired", "too long ago to repeat", { path });
      if (!ready) throw refusal("not-connected", "not connected", { path });
      const id = ++ids, text = encode({ ...fields, id });
      if (new Blob([text]).size > limits.msg) throw refusal("too_large", `longer than ${limits.msg} bytes`, { path });
      byID.set(id, { resolve, reject, fields, path });
      socket.send(text);
    });
  }

  function send(message) { socket.send(encode({ id: ++ids, ...message })); }

  function retry() {
    if (socket) return void ping(3);
    wanted = true;
    open();
  }

  function close() {
    away.abort();
    for (const sub of subs.values()) {
      over(sub, { code: "closed" });
      sub.watchers.clear();
    }
    subs.clear();
    leave();
  }

  function leave() {
    wanted = false;
    drop(1000, "");
  }

  function open() {
    clearTimeout(timer);
    say();
    try { socket = new WebSocket(url, "sluice.v1.json"); } catch (error) {
      onError(error);
      return drop(4400, error.message);
    }
    timer = setInterval(tick, 1000);
    left = 10;
    socket.onopen = () => send({ op: "hello", client: name, token });
    socket.onclose = ({ code, reason }) => drop(code, reason);
    socket.onmessage = ({ data }) => {
      left = 2 * hb;
      try { for (const message of [decode(data)].flat()) receive(message ?? {}, data.length); } catch (error) {
        onError(error);
        drop(4500, "malformed");
      }
    };
  }

  function receive(message, length) {
    // An error without an id is about what could not be read: the oldest request.
    const { op, d, code, node, id = op === "err" && [...byID].find(([, { reject }]) => reject)?.[0] } = message;
    const of = byID.get(id);
    safely(onMessage, message, length);
    if (op === "upd") for (const entry of d) deliver(byID.get(entry.id), entry, message);
    else if (op === "hello") welcome(message);
    else if (op === "hb") for (const sub of subs.values()) sub.stale = message.stale;
    else if (!of) return void (op === "err" && !ready && drop(4401, code));
    else if (of.reject) {
      byID.delete(id);
      if (op === "ok") of.resolve(message);
      else of.reject(new SluiceError({ ...message, path: node ? `${of.fields.graph}/${node}` : of.path }));
    } else if (op === "snap") snap(of, message);
    else if (op === "end" || op === "err") over(of, message);
    else if (/^topod?$/.test(op)) tell(of, { v: message }, {});
  }

  function welcome(message) {
    const now = Date.now(), gap = since && now - since, { session, server } = message;
    Object.assign(client, { session, server });
    Object.assign(limits, message.limits);
    hb = message.hb;
    left = 2 * hb;
    ready = true;
    since = now;
    say({ gap });
    for (const sub of subs.values()) {
      sub.gap = gap;
      if (sub.ended !== "complete") ask(sub);
    }
    for (const send of presences) send();
  }

  function drop(code, reason) {
    const now = Date.now(), waiting = [...byID.values()];
    clearTimeout(timer);
    if (socket) socket.onmessage = socket.onclose = null;
    socket?.close();
    byID.clear();
    if (ready) {
      if (now - since > 5000) tries = 0;
      since = now;
    }
    socket = ready = undefined;
    const pause = Number(/"after":(\d+)/.exec(reason)?.[1]) || Math.random() * (pauses[tries] ?? 10_000);
    wanted &&= code < 4000 || code >= 4500;
    if (wanted) timer = setTimeout(open, pause, tries++);
    say({ code, reason, at: wanted ? now + pause : undefined });
    for (const { fields, path, reject } of waiting) {
      // The same key cannot apply it twice, for as long as the server remembers keys.
      const repeat = () => request(fields, path, now + 600_000);
      reject?.(refusal("unknown-outcome", "connection lost before the answer", { path, key: fields.key, repeat }));
    }
  }

  // Ticks, not time: timers that stood still say nothing about the server.
  function tick() {
    if (!--left) drop(4508, "no answer");
    else if (left === hb) ping(hb);
  }

  function ping(patience = 4) {
    const start = performance.now();
    if (ready) left = Math.min(left, patience);
    return request({ op: "ping" }).then(() => performance.now() - start, () => {});
  }

  function say(more) {
    const isLong = navigator.onLine === false || Date.now() - since > 30_000;
    const name = ready ? "live" : !wanted ? "closed" : !since && !tries ? "connecting" : isLong ? "offline" : "reconnecting";
    client.state = Object.freeze({ ...more, name, tries: ready ? 0 : tries, since });
    safely(onState, client.state);
  }

  function join(fields, type, fn, key = encode(Object.entries(fields).sort())) {
    const sub = subs.get(key) ?? { fields, watchers: new Set(), values: fields.nodes && {} };
    const handle = {
      type, fn,
      get stale() { return !byID.has(sub.id) || !!sub.stale; },
      again: () => ask(sub),
      close() {
        if (!sub.watchers.delete(handle) || sub.watchers.size) return;
        // The next view often asks for the same.
        sub.timer = setTimeout(() => {
          subs.delete(key);
          if (byID.has(sub.id)) send({ op: "unsub", id: sub.id });
        }, 250);
      },
    };
    clearTimeout(sub.timer);
    subs.set(key, sub);
    sub.watchers.add(handle);
    if (sub.entry) queueMicrotask(() => sub.watchers.has(handle) && !handle.meta && tell(sub, sub.entry, sub.meta, [handle]));
    ask(sub);
    return handle;
  }

  function ask(sub) {
    if (!ready || byID.has(sub.id) || !sub.watchers.size) return;
    const { fields, cursor: since } = sub, id = ++ids;
    byID.set(id, Object.assign(sub, { id, ended: undefined }));
    send({ ...fields, id, every: pace(fields), since, history: since ? undefined : fields.history });
  }

  function pace({ every = 0, mode }) { return page?.visibilityState === "hidden" && mode !== "all" ? Math.max(1000, every) : every; }

  function show() {
    if (wanted && page.visibilityState === "visible") retry();
    for (const [id, { fields, watchers }] of byID) if (watchers && fields.mode !== "all") send({ op: "mod", sub: id, every: pace(fields) });
  }

  function snap(sub, message) {
    const { epoch, rev, c, d = [], resumed, m } = message, known = sub.entry, news = told(message);
    sub.cursor = { epoch, rev };
    if (!resumed) for (const each in sub.values) delete sub.values[each];
    for (const entry of d) deliver(sub, entry, entry, !resumed);
    sub.cursor.rev = rev;
    if (known && resumed === false && !m && told(known) === news) Object.assign(sub.meta, { rev, c, epoch });
    else if ((resumed || d.at(-1)?.rev !== (c ?? rev)) && (m || news !== "{}")) deliver(sub, message, message);
  }

  function deliver(sub, entry, { rev, t, by, ctx }, history) {
    if (!sub) return;
    const { c, n: folded = 1, empty, fail, m } = entry, { cursor, gap, values } = sub;
    const meta = { t, rev, epoch: cursor.epoch, c, folded, by, ctx, history, gap, empty, fail, m, changed: m && Object.keys(m) };
    for (const each in m) if ("v" in m[each]) values[each] = m[each].v; else delete values[each];
    Object.assign(sub, { entry, meta, gap: undefined });
    cursor.rev = rev;
    tell(sub, entry, meta);
  }

  function tell({ values, watchers }, entry, meta, who = watchers) {
    for (const handle of who) {
      Object.assign(handle, { value: values, meta });
      try { if ("v" in entry) handle.value = typed(handle.type, entry.v); } catch ({ message: msg }) {
        handle.meta = { ...meta, fail: { code: "type_mismatch", msg } };
      }
      safely(handle.fn, handle.value, handle.meta);
    }
  }

  function over(sub, { code, msg, retry, after = 1000, problems }) {
    byID.delete(sub.id);
    sub.ended = code;
    if (retry || code === "slow") setTimeout(ask, after * (1 + Math.random() / 4), sub);
    if (code !== "shutdown") tell(sub, {}, { ...sub.meta, ended: { code, msg, problems } });
  }

  const on = (event, act, target = globalThis) => target.addEventListener?.(event, act, { signal: away.signal });
  on("visibilitychange", show, page);
  on("online", () => wanted && retry());
  on("offline", () => ping(3));
  // The back/forward cache may bring the page back.
  on("pagehide", leave);
  on("pageshow", ({ persisted }) => persisted && retry());
  url.protocol = url.protocol.replace("http", "ws");
  retry();
  return client;
}
