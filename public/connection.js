// One WebSocket, kept up: subscriptions are remembered and asked for again after every reconnect.

const pauses = [250, 500, 1000, 2000, 5000, 10000];

export class Connection {
  #url; #onState; #socket = null; #timer = null; #tries = 0; #wanted = false;
  #ids = 0; #subscriptions = new Map(); #requests = new Map();
  #heard = 0; #beat = 25; #watchdog = null;

  /** `onState(name, words)` hears `connecting`, `live`, `reconnecting` and `closed`. */
  constructor(url, onState) {
    this.#url = url;
    this.#onState = onState;
  }

  get isLive() { return this.#socket?.readyState === WebSocket.OPEN; }

  open() {
    this.#wanted = true;
    if (this.#socket) return;
    this.#onState(this.#tries ? "reconnecting" : "connecting", this.#tries ? "Reconnecting" : "Connecting");
    const socket = new WebSocket(this.#url, "sluice.v1.json");
    this.#socket = socket;
    socket.onopen = () => {
      this.#tries = 0;
      this.#heard = performance.now();
      this.#send({ op: "hello", client: "first-page" });
      for (const [id, { message }] of this.#subscriptions) this.#send({ op: "sub", id, ...message });
      this.#watchdog = setInterval(() => this.#watch(), 1000);
      this.#onState("live", "Live");
    };
    socket.onmessage = ({ data }) => {
      this.#heard = performance.now();
      let message;
      try { message = JSON.parse(data); } catch { return socket.close(); }
      this.#receive(message);
    };
    socket.onclose = ({ code, reason }) => this.#lost(socket, code, reason);
  }

  close() {
    this.#wanted = false;
    clearTimeout(this.#timer);
    this.#socket?.close(1000);
  }

  /** Calls `deliver({v} | {empty} | {fail}, message)` now and at every change, until the returned function is called. */
  subscribe(graph, node, deliver) {
    const id = ++this.#ids;
    const message = { graph, node };
    this.#subscriptions.set(id, { message, deliver });
    if (this.isLive) this.#send({ op: "sub", id, ...message });
    return () => {
      this.#subscriptions.delete(id);
      if (this.isLive) this.#send({ op: "unsub", id });
    };
  }

  /** Sets one node; resolves when the server has accepted the value, rejects with its message otherwise. */
  set(graph, node, value) {
    if (!this.isLive) return Promise.reject(new Error("not connected"));
    const id = ++this.#ids;
    return new Promise((resolve, reject) => {
      this.#requests.set(id, { resolve, reject });
      this.#send({ op: "set", id, graph, set: { [node]: value } });
    });
  }

  #send(message) { this.#socket.send(JSON.stringify(message)); }

  #receive(message) {
    switch (message.op) {
    case "hello": this.#beat = message.hb ?? 25; break;
    case "snap": this.#subscriptions.get(message.id)?.deliver(message, message); break;
    case "upd":
      for (const entry of message.d) this.#subscriptions.get(entry.id)?.deliver(entry, message);
      break;
    case "ok":
    case "err": {
      const request = this.#requests.get(message.id);
      this.#requests.delete(message.id);
      if (request) message.op === "ok" ? request.resolve(message) : request.reject(new Error(message.msg));
      else this.#subscriptions.get(message.id)?.deliver({ fail: message }, message);
      break;
    }
    case "end":
      this.#subscriptions.get(message.id)?.deliver({ fail: { msg: `ended: ${message.code}` } }, message);
      break;
    }
  }

  /** Browsers report a silent loss late: after two heartbeats without a word the socket counts as dead. */
  #watch() {
    if (performance.now() - this.#heard < 2000 * this.#beat + 1000) return;
    const socket = this.#socket;
    this.#lost(socket, 1006, "");
    socket.close();
  }

  #lost(socket, code, reason) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    clearInterval(this.#watchdog);
    for (const { reject } of this.#requests.values()) reject(new Error("the connection was lost before the answer came"));
    this.#requests.clear();
    // 4000–4499 say that trying again is of no use.
    if (!this.#wanted || (code >= 4000 && code < 4500)) {
      return this.#onState("closed", `Closed${reason ? `: ${reason}` : ""}`);
    }
    const longest = pauses[Math.min(this.#tries++, pauses.length - 1)];
    const pause = longest * (0.5 + Math.random() / 2);
    this.#onState("reconnecting", `Reconnecting, try ${this.#tries}`);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.open(), pause);
  }
}
