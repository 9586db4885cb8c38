// The connection, made again when lost, and requests over it.
import { SluiceError, decode, encode } from "./values.js";

// So long the server knows a key; in milliseconds, like all times here.
const KEY_LIFETIME = 600_000;
// The longest pauses before each try to connect again.
const PAUSES = [250, 500, 1000, 2000, 5000, 10_000];
// After a connection of this length they begin anew.
const STABLE = 5_000;

/** `receive` gets what answers no request. */
export function connection(api, url, {
  client, token, onState, onMessage, WebSocket = globalThis.WebSocket, safely, receive,
}) {
  // Requests and subscriptions that the server has, by id.
  const byID = new Map();
  // Reads that came before the first connection.
  const reads = [];

  const observers = new Set([onState]);

  let socket; // Also while it is being opened.
  let isReady = false; // The server has answered `hello`.
  let isWanted = false; // It is made again when lost.
  let since; // When it became ready or was lost.
  let tries = 0; // Failed ones in a row.
  let timer; // The heartbeat of a socket, or the pause before another.
  let ticksLeft; // Seconds until silence counts as loss.
  let heartbeat; // Of the server, in seconds.
  let lastID = 0;

  // Requests

  /** Before the first connection a read waits; a set does not. */
  async function read(fields) {
    if (api.state.name === "connecting") await new Promise((go) => reads.push(go));
    return request(fields);
  }

  function request(fields, path = fields.graph, until = Date.now() + KEY_LIFETIME) {
    return new Promise((resolve, reject) => {
      if (Date.now() > until) throw new SluiceError({ code: "key-expired", path });
      if (!isReady || !isOpen()) throw new SluiceError({ code: "not-connected", path });
      send(fields, { resolve, reject, fields, path, until });
    });
  }

  function send(message, waiting) {
    const id = ++lastID;
    const text = encode({ id, ...message });
    if (new Blob([text]).size > api.limits.msg) {
      throw new SluiceError({
        code: "too_large", msg: `over ${api.limits.msg} bytes`, path: waiting?.path,
      });
    }
    if (waiting) byID.set(id, Object.assign(waiting, { id }));
    if (isOpen()) socket.send(text);
  }

  /** A socket that is closing sends no more. */
  function isOpen() {
    return socket.readyState === 1;
  }

  /** Only the program knows whether to make it again. */
  function abandon({ reject, fields, path, until }) {
    const repeat = () => request(fields, path, until);
    reject(new SluiceError({ code: "unknown-outcome", path, key: fields.key, repeat }));
  }

  function auth(next) {
    token = next;
    return request({ op: "auth", token });
  }

  function ping(patience = 4) {
    const start = performance.now();
    if (isReady) ticksLeft = Math.min(ticksLeft, Math.ceil(patience) + 1);
    return request({ op: "ping" }).then(() => performance.now() - start, () => {});
  }

  function retry() {
    if (socket) return void ping(2);
    isWanted = true;
    open();
  }

  function open() {
    clearTimeout(timer);
    const fault = safely(() => (socket = new WebSocket(url, "sluice.v1.json")));
    if (fault) return drop(4400, fault.message);
    ticksLeft = 10;
    timer = setInterval(tick, 1000);
    socket.onopen = () => send({ op: "hello", client, token });
    socket.onclose = ({ code, reason }) => drop(code, reason);
    socket.onmessage = ({ data }) => {
      const fault = safely(() => {
        for (const message of [decode(data) ?? []].flat()) dispatch(message, data.length);
      });
      if (fault) drop(4500, "malformed");
      ticksLeft = 2 * heartbeat;
    };
    change();
  }

  /** Ticks, not time: a computer that slept has not waited. */
  function tick() {
    ticksLeft -= 1;
    if (!ticksLeft) drop(4508, "no answer");
    else if (ticksLeft === heartbeat) ping(heartbeat);
  }

  function dispatch(message, length) {
    safely(onMessage, message, length);
    // A listener may have closed the client.
    if (!socket) return;
    const { op, stale, id = op === "err" ? oldestRequest() : undefined } = message;
    const waiting = byID.get(id);
    if (op === "hello") begin(message);
    else if (op === "hb" && stale !== api.state.stale) change({ stale });
    else if (waiting?.reject) settle(waiting, message);
    else if (waiting || op !== "err") receive(message, waiting);
    else if (!isReady) drop(/_down/.test(message.code) ? 4503 : 4401, message.code);
  }

  /** Answers come in order: an error without an id is for this one. */
  function oldestRequest() {
    return [...byID].find(([, { reject }]) => reject)?.[0];
  }

  function settle({ id, resolve, reject, fields, path }, message) {
    byID.delete(id);
    if (message.op === "ok") return resolve(message);
    if (message.node) path = `${fields.graph}/${message.node}`;
    reject(new SluiceError({ ...message, path }));
  }

  function begin(message) {
    const now = Date.now();
    const gap = since && now - since;
    ({ hb: heartbeat, session: api.session, server: api.server } = message);
    Object.assign(api.limits, message.limits);
    isReady = true;
    since = now;
    change({ gap });
    receive({ ...message, gap });
  }

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
    const random = Math.random() * (PAUSES[tries] ?? PAUSES.at(-1));
    const pause = Number(/"after":(\d+)/.exec(reason)?.[1]) || random;
    // Below 4500 the client is at fault; a proxy may have a new token.
    isWanted &&= code < 4000 || code >= 4500 || (isReady && /expired/.test(reason));
    isReady = false;
    if (isWanted) {
      timer = setTimeout(open, pause);
      tries += 1;
    }
    change({ code, reason, at: isWanted ? now + pause : undefined });
    abandoned.forEach(abandon);
  }

  function wake() {
    if (isWanted) retry();
  }

  function leave() {
    isWanted = false;
    drop(1000);
  }

  function change(more) {
    const name = stateName();
    api.state = { ...more, name, tries: isReady ? 0 : tries, since };
    if (name !== "connecting") for (const go of reads.splice(0)) go();
    for (const observer of observers) safely(observer, api.state);
  }

  function stateName() {
    if (isReady) return "live";
    if (!isWanted) return "closed";
    if (!since && !tries) return "connecting";
    const isLong = Date.now() - since > 30_000;
    return globalThis.navigator?.onLine === false || isLong ? "offline" : "reconnecting";
  }

  Object.assign(api, {
    auth, ping, retry,
    onState(observer) {
      observers.add(observer);
      return () => observers.delete(observer);
    },
  });
  return {
    byID, read, request, send, wake, leave, isReady: () => isReady,
  };
}
