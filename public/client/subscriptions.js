// Subscriptions: how they are shared, go on after a reconnect, and receive values.
import { encode, typed } from "./values.js";

// A subscription outlives its last listener by this: the next view may need the same.
const LINGER = 250;

const keyOf = (fields) => encode(Object.entries(fields).sort());

/** What can be compared of a delivery. */
const content = ({ v, empty, fail, state }) => encode({ v, empty, fail, state });

const isPipeline = ({ op, node, nodes, pipe }) => op === "sub" && !nodes && (!node || !!pipe);

/** A page that is not seen needs a value a second, unless each counts. */
function paced({ op, every = 0, mode }) {
  const least = globalThis.document?.hidden && mode !== "all" ? 1000 : 0;
  if (/sub|obs/.test(op)) return Math.max(least, every);
}

// What a subscription receives

/** The first answer: what is now, or has happened since the cursor. */
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
    // They have this value: only their `meta` changes.
    Object.assign(sub.meta, { rev, c, epoch });
    for (const { meta = {} } of sub.watchers) Object.assign(meta, { rev, c, epoch, ...cut });
  } else {
    // The last entry of a history may be the present value already.
    const isDelivered = !resumed && d.at(-1)?.rev === (c ?? rev);
    if (!isDelivered && (m || news !== "{}")) deliver(sub, message, message);
    else if (isDelivered && message.state) deliver(sub, { state: message.state }, message);
  }
  if (sub.ended && known) deliver(sub, known, { ...sub.meta, rev });
  return { ...fields, epoch, rev, ...cut };
}

/** Losses add up until the next delivery. */
function withLoss(cut, cursor, { epoch, rev }) {
  // Revs can be compared within one history only.
  const isComparable = cursor.epoch === epoch && rev >= cursor.rev;
  const lostRevs = isComparable ? rev - cursor.rev + (cut?.lostRevs ?? 0) : undefined;
  return { ...cut, lost: true, lostRevs };
}

/** An emission of one node, or of several in `m`. */
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

/** With `facets`, what a delivery leaves out is as before. */
function merged(known, next) {
  const hasValue = next.v !== undefined || next.empty || next.fail || next.gone || next.m;
  if (hasValue) return { state: known?.state, ...next, same: undefined };
  return { ...known, ...next, n: 1, same: true };
}

/** The first message names all that are wanted, later ones changes. */
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
    handle.fn(handle.value, handle.meta);
  }
}

export function subscriptions(api, { byID, send, isReady }, safely, onGap) {
  // By what they ask for.
  const subs = new Map();

  // What is asked for

  /**
   * Adds a listener to the subscription that asks for this, or to a new one.
   * Objects of several nodes are changed in place, so each listener has one of its own.
   */
  function join(fields, type, fn, key = fields.nodes ? Symbol() : keyOf(fields)) {
    const sub = subs.get(key) ?? {
      key, fields, watchers: new Set(), values: fields.nodes && {},
    };
    const handle = {
      type,
      fn: (...given) => safely(fn, ...given),
      get stale() { return api.state.stale || !byID.has(sub.id); },
      again: () => ask(sub),
      close() {
        if (!sub.watchers.delete(handle) || sub.watchers.size) return;
        // One that cannot be shared ends at once.
        sub.timer = setTimeout(unsubscribe, typeof key === "string" ? LINGER : 0, sub);
      },
    };
    clearTimeout(sub.timer);
    subs.set(key, sub);
    sub.watchers.add(handle);
    // A further listener gets the present value.
    if (sub.entry) queueMicrotask(() => {
      if (!sub.watchers.has(handle) || handle.meta) return;
      notify(sub, sub.entry, { ...sub.meta, same: undefined }, [handle]);
    });
    safely(ask, sub);
    return handle;
  }

  function ask(sub) {
    if (!isReady() || byID.has(sub.id) || !sub.watchers.size) return;
    const { fields, cursor } = sub;
    sub.isNew = true;
    send({
      // The server knows what has a memory, such as a window.
      keep: isPipeline(fields) ? "auto" : undefined,
      ...fields,
      every: paced(fields),
      since: cursor,
      history: cursor ? undefined : fields.history,
    }, sub);
  }

  function restore(gap) {
    for (const sub of subs.values()) {
      sub.cut = { ...sub.cut, gap };
      if (sub.ended !== "complete") safely(ask, sub);
    }
  }

  function changePace() {
    for (const [id, { fields, watchers }] of byID) {
      const every = watchers && fields.mode !== "all" ? paced(fields) : undefined;
      if (every >= 0) send({ op: "mod", sub: id, every });
    }
  }

  function unsubscribe(sub) {
    subs.delete(sub.key);
    if (byID.has(sub.id)) send({ op: "unsub", id: sub.id });
  }

  /** Ends the subscriptions of an owner, by default all. */
  function release(name) {
    if (name && isReady()) send({ op: "release", owner: name });
    for (const sub of [...subs.values()]) {
      const owners = new Set([sub.fields.owner].flat());
      if (name && !owners.delete(name)) continue;
      subs.delete(sub.key);
      if (name && owners.size) {
        // It goes on, but is no longer what an equal request would get.
        sub.fields = { ...sub.fields, owner: [...owners] };
        sub.key = Symbol();
        subs.set(sub.key, sub);
      } else {
        clearTimeout(sub.timer);
        end(sub, { code: "closed" });
        sub.watchers.clear();
      }
    }
  }

  // What comes

  function receive(message, sub) {
    const { op, d, resumed } = message;
    if (op === "upd") for (const entry of d) deliver(byID.get(entry.id), entry, message);
    else if (op === "hello") restore(message.gap);
    else if (!sub) return;
    else if (/snap|linked/.test(op)) {
      const gap = begin(sub, message);
      if (resumed !== undefined) safely(onGap, gap);
    } else if (op === "end" || op === "err") end(sub, message);
    else if (op === "wanted") demanded(sub, message);
    else if (/^topo/.test(op)) notify(sub, { v: message }, {});
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

  return { join, changePace, receive, release };
}
