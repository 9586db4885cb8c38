// See docs/client.md.

export class SluiceError extends Error {
  name = "SluiceError";
  constructor({ msg, ...rest }) { Object.assign(super(msg ?? rest.code), rest); }
}
const refusal = (code, msg, path, more) => new SluiceError({ code, msg, path, ...more });
const unfit = (value) => refusal("type_mismatch", `${String(value)} cannot be sent`);

export const encode = (value, space) => JSON.stringify(value, (_, each) => {
  if (typeof each === "number" && !isFinite(each)) throw unfit(each);
  return typeof each === "bigint" ? JSON.rawJSON(each) : each;
}, space);
export const decode = (text) => JSON.parse(text, /\d{16}/.test(text) ? (_, value, { source } = {}) =>
  (/^-?\d{16,}$/.test(source) && BigInt(source) != value ? BigInt(source) : value) : undefined);
const told = ({ v, empty, fail, state }) => encode({ v, empty, fail, state });
// Either the state or the value may be missing; then the known one is kept.
const joined = (known, next) => next.v !== undefined || next.empty || next.fail || next.gone || next.m
  ? { state: known?.state, ...next, same: undefined } : { ...known, ...next, n: 1, same: true };

function typed(type, value) {
  if (![Number, String, Boolean, BigInt].includes(type)) return type ? type(value) : value;
  if (value?.constructor === type) return value;
  if (type === BigInt && Number.isInteger(value)) return BigInt(value);
  throw new TypeError(`expected ${type.name}, got ${value && typeof value}`);
}

// Whether a pipeline's values depend on earlier ones.
const remembers = ({ op, node, nodes, combine, pipe = [] }) => op === "sub" && !nodes && (!(node || combine) ||
  [pipe].flat().some((stage) => !/^(map|replace|ifEmpty)$/.test(Object.keys(Object(stage))[0])));

function place(target) {
  if (typeof target !== "string") return target;
  const [graph, node] = target.split("/");
  return /[*,]/.test(node) ? { graph, nodes: node.split(",") } : { graph, node };
}

export function connect(address = "/v1/ws", {
  client, token, every, onState, onMessage, onGap, onError = (error) => Promise.reject(error), WebSocket = globalThis.WebSocket,
} = {}) {
  const url = new URL(address, globalThis.location?.href).href.replace(/^http/, "ws"), away = new AbortController();
  const subs = new Map(), byID = new Map(), claims = new Map(), limits = { msg: 65536 };
  const safely = (act, ...given) => { try { act?.(...given); } catch (error) { onError(error); } };
  let socket, ready = null, wanted, since, timer, left, stale, hb, changes, tries = 0, ids = 0, reads = [];
  const watch = (target, type, fn, given) => join({ op: "sub", ...place(target), every, ...given }, type, fn);
  const pace = ({ every = 0, mode }) => globalThis.document?.hidden && mode !== "all" ? Math.max(1000, every) : every;
  const leave = () => { wanted = false; drop(1000); };
  const api = {
    limits, watch, stream, owner, set, load: (target, report) => request({ op: "load", ...place(target), ...report }, target),
    demand: (graph, nodes, fn) => join({ op: "demand", graph, nodes: [nodes].flat() }, null, fn), presence, get, ping, retry, close,
    observe: (graph, fn, given) =>
      join({ op: "observe", graph, every: 250, ...given }, null, (event, { ended }) => fn(event ?? { op: "end", ...ended }), Symbol()),
    list: async (fn = changes) => (await read({ op: "list", changes: (changes = fn) && true })).graphs,
    auth: (next) => request({ op: "auth", token: (token = next) }),
  };

  async function* stream(target, type, given) {
    let values = [], end, wake;
    const handle = watch(target, type, (value, { ended, empty, fail, m }) => {
      if (end || ended || values.length > 9999) end ??= ended ?? { code: "slow" };
      else if (!empty && !fail) values[given?.mode === "all" ? values.length : 0] = m ? { ...value } : value;
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

  function owner(name) {
    const release = () => {
      if (ready) send({ op: "release", owner: name });
      for (const sub of [...subs.values()]) {
        const { fields } = sub, owner = new Set([fields.owner].flat());
        if (!owner.delete(name)) continue;
        subs.delete(sub.key);
        if (!owner.size) finish(sub);
        else subs.set(sub.key = Symbol(), Object.assign(sub, { fields: { ...fields, owner: [...owner] } }));
      }
    };
    return {
      watch: (target, type, fn, given) => watch(target, type, fn, { ...given, owner: name }),
      stream: (target, type, given) => stream(target, type, { ...given, owner: name }),
      release,
      [Symbol.dispose]: release,
    };
  }

  async function set(target, value, given) {
    const { graph, node } = place(target);
    if (encode(value) === undefined) throw unfit(value);
    const key = crypto.getRandomValues(new Uint32Array(4)).join("-");
    return request({ op: "set", graph, set: node ? { [node]: value } : value, key, ...given }, target);
  }

  // The server forgets presence when a connection ends.
  async function presence(target, value) {
    const { graph, node } = place(target), isOver = value === undefined;
    isOver ? claims.delete(target) : claims.set(target, value);
    return ready && (isOver ? set(graph, {}, { clear: [node] }) : set(target, value, { presence: true }));
  }

  async function get(target, what, given) {
    const { graph, node, nodes = node ? [node] : what } = place(target);
    const answer = await read({ op: "get", graph, nodes, ...given }), held = answer.m[node];
    if (held?.fail) throw new SluiceError({ ...held.fail, path: target });
    return !held ? answer : "v" in held ? typed(what, held.v) : undefined;
  }

  async function read(fields) {
    if (api.state.name === "connecting") await new Promise((go) => reads.push(go));
    return request(fields);
  }

  function request(fields, path = fields.graph, until = Date.now() + 600_000) {
    return new Promise((resolve, reject) => {
      if (Date.now() > until) throw refusal("key-expired", "too late", path);
      if (!ready) throw refusal("not-connected", "not connected", path);
      send(fields, { resolve, reject, fields, path, until });
    });
  }

  function send(message, of) {
    const id = ++ids, text = encode({ id, ...message });
    if (new Blob([text]).size > limits.msg) throw refusal("too_large", `over ${limits.msg} bytes`, of?.path);
    if (of) byID.set(id, Object.assign(of, { id }));
    socket.send(text);
  }

  function retry() {
    if (socket) return void ping(2);
    wanted = true;
    open();
  }

  function close() {
    away.abort();
    for (const sub of subs.values()) finish(sub);
    subs.clear();
    leave();
  }

  function finish(sub) {
    clearTimeout(sub.timer);
    over(sub, { code: "closed" });
    sub.watchers.clear();
  }

  function open() {
    clearTimeout(timer);
    try { socket = new WebSocket(url, "sluice.v1.json"); } catch (error) {
      onError(error);
      return drop(4400, error.message);
    }
    left = 10;
    // Counts ticks, not time: timers may have been suspended.
    timer = setInterval(() => --left ? left === hb && ping(hb) : drop(4508, "no answer"), 1000);
    socket.onopen = () => send({ op: "hello", client, token });
    socket.onclose = ({ code, reason }) => drop(code, reason);
    socket.onmessage = ({ data }) => {
      try { for (const message of [decode(data) ?? []].flat()) receive(message, data.length); } catch (error) {
        onError(error);
        drop(4500, "malformed");
      }
      left = 2 * hb;
    };
    say();
  }

  function receive(message, length) {
    safely(onMessage, message, length);
    // A listener may have closed the socket.
    if (!socket) return;
    // An error without an id is the answer to the oldest request.
    const { op, d, code, node, id = op === "err" && [...byID].find(([, { reject }]) => reject)?.[0] } = message;
    const of = byID.get(id);
    if (op === "upd") for (const entry of d) deliver(byID.get(entry.id), entry, message);
    else if (op === "hello") welcome(message);
    else if (op === "hb") ({ stale } = message);
    else if (op === "changes") safely(changes, message.graphs);
    else if (!of) op === "err" && !ready && drop(4401, code);
    else if (of.reject) {
      byID.delete(id);
      if (op === "ok") of.resolve(message);
      else of.reject(new SluiceError({ ...message, path: node ? `${of.fields.graph}/${node}` : of.path }));
    } else if (op === "snap") snap(of, message);
    else if (/^(end|err)$/.test(op)) over(of, message);
    else if (/^topo/.test(op)) tell(of, { v: message }, {});
    else if (op === "wanted") wants(of, message);
  }

  function welcome(message) {
    const now = Date.now(), gap = since && now - since;
    ({ hb, session: api.session, server: api.server } = message);
    Object.assign(limits, message.limits);
    ready = true;
    stale = false;
    since = now;
    say({ gap });
    for (const each of claims) presence(...each).catch(onError);
    for (const sub of subs.values()) {
      sub.cut = { ...sub.cut, gap };
      if (sub.ended !== "complete") safely(ask, sub);
    }
  }

  function drop(code, reason) {
    const now = Date.now(), waiting = [...byID.values()];
    clearTimeout(timer);
    if (socket) Object.assign(socket, { onmessage: null, onclose: null }).close();
    byID.clear();
    if (ready && now - since > 5000) tries = 0;
    if (ready) since = now;
    socket = ready = null;
    const pause = +/"after":(\d+)/.exec(reason)?.[1] || Math.random() * ([250, 500, 1000, 2000, 5000][tries] ?? 1e4);
    wanted &&= code < 4000 || code >= 4500;
    if (wanted) timer = setTimeout(open, pause, tries++);
    say({ code, reason, at: wanted ? now + pause : undefined });
    for (const { fields, path, reject, until } of waiting) {
      reject?.(refusal("unknown-outcome", "connection lost", path,
        { key: fields.key, repeat: () => request(fields, path, until) }));
    }
  }

  function ping(patience = 4) {
    const start = performance.now();
    if (ready) left = Math.min(left, Math.ceil(patience) + 1);
    return request({ op: "ping" }).then(() => performance.now() - start, () => {});
  }

  function say(more) {
    const name = ready ? "live" : !wanted ? "closed" : !since && !tries ? "connecting"
      : navigator.onLine === false || Date.now() - since > 3e4 ? "offline" : "reconnecting";
    api.state = { ...more, name, tries: ready ? 0 : tries, since };
    if (name !== "connecting") for (const go of reads.splice(0)) go();
    safely(onState, api.state);
  }

  function join(fields, type, fn, key = fields.nodes ? Symbol() : encode(Object.entries(fields).sort())) {
    const sub = subs.get(key) ?? { key, fields, watchers: new Set(), values: fields.nodes && {} };
    const handle = {
      type, fn,
      get stale() { return stale || !byID.has(sub.id); },
      again: () => ask(sub),
      close() {
        if (!sub.watchers.delete(handle) || sub.watchers.size) return;
        // The next view may need the same.
        sub.timer = setTimeout(() => {
          subs.delete(sub.key);
          if (byID.has(sub.id)) send({ op: "unsub", id: sub.id });
        }, typeof key === "string" ? 250 : 0);
      },
    };
    clearTimeout(sub.timer);
    subs.set(key, sub);
    sub.watchers.add(handle);
    if (sub.entry) queueMicrotask(() =>
      sub.watchers.has(handle) && !handle.meta && tell(sub, sub.entry, { ...sub.meta, same: undefined }, [handle]));
    safely(ask, sub);
    return handle;
  }

  function ask(sub) {
    if (!ready || byID.has(sub.id) || !sub.watchers.size) return;
    const { fields, cursor: since } = sub;
    sub.isNew = true;
    const keep = remembers(fields) ? "30s" : undefined;
    send({ keep, ...fields, every: pace(fields), since, history: since ? undefined : fields.history }, sub);
  }

  function snap(sub, message) {
    const { epoch, rev, local, ticket, c, d = [], resumed, m } = message, { entry: known, cursor, fields } = sub, news = told(message);
    // What is lost counts until the next delivery, however often the connection breaks before it.
    if (resumed === false) {
      const lostRevs = cursor.epoch === epoch && rev >= cursor.rev ? rev - cursor.rev + (sub.cut?.lostRevs ?? 0) : undefined;
      sub.cut = { ...sub.cut, lost: true, lostRevs };
    }
    const { cut } = sub;
    sub.cursor = { epoch, rev, local, ticket };
    if (!resumed) for (const each in m && sub.values) m[each] ??= { gone: true };
    for (const entry of d) deliver(sub, entry, entry, !resumed);
    sub.cursor.rev = rev;
    if (known && resumed === false && !m && fields.mode !== "all" && told(known) === news) {
      Object.assign(sub.meta, { rev, c, epoch });
      for (const { meta = {} } of sub.watchers) Object.assign(meta, { rev, c, epoch, ...cut });
    } else if ((resumed || d.at(-1)?.rev !== (c ?? rev)) && (m || news !== "{}")) deliver(sub, message, message);
    if (sub.ended && known) deliver(sub, known, { ...sub.meta, rev });
    if (resumed !== undefined) safely(onGap, { ...fields, epoch, rev, ...cut });
  }

  // The first answer of a connection names all wanted matches.
  function wants(sub, { m }) {
    const { values, isNew } = sub;
    for (const each in isNew && values) m[each] ??= { wanted: false };
    for (const each in m) if (m[each].wanted) values[each] = m[each]; else delete values[each];
    sub.isNew = false;
    tell(sub, { v: values }, { m, changed: Object.keys(m) });
  }

  function deliver(sub, entry, { rev, t, by, ctx }, history) {
    if (!sub) return;
    if (sub.fields.facets) {
      const { m } = entry = joined(sub.entry, entry), parts = sub.parts ??= {};
      for (const each in m) parts[each] = m[each] = joined(parts[each], m[each]);
    }
    const { c, n: folded = 1, empty, fail, m, more, state, same } = entry, { cursor, values, cut: { gap, lost, lostRevs } = {} } = sub;
    const changed = m && Object.keys(m);
    const meta = { t, rev, epoch: cursor.epoch, c, folded, by, ctx, history, empty, fail, m, more, state, same, changed };
    for (const each in m) if ("v" in m[each]) values[each] = m[each].v; else delete values[each];
    Object.assign(sub, { entry, meta, cut: undefined, ended: 0 });
    cursor.rev = rev;
    tell(sub, entry, { ...meta, gap, lost, lostRevs });
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
    if (code === "shutdown") return;
    sub.ended = code;
    if (retry || code === "slow") setTimeout(ask, after * (1 + Math.random() / 4), sub);
    // A listener may subscribe again.
    tell(sub, {}, { ...sub.meta, ended: { code, msg, problems } }, [...sub.watchers]);
  }

  const events = {
    online: () => wanted && retry(), offline: () => ping(3),
    visibilitychange() {
      if (wanted && !document.hidden) retry();
      for (const [id, { fields, watchers }] of byID)
        if (watchers && fields.mode !== "all" && fields.op !== "demand") send({ op: "mod", sub: id, every: pace(fields) });
    },
    pagehide: leave, pageshow: ({ persisted }) => persisted && retry(),
  };
  for (const each in events) globalThis.addEventListener?.(each, events[each], { signal: away.signal });
  retry();
  return api;
}
