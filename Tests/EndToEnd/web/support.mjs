// What the tests of client.js share: a way to the server that can be cut, frozen and turned, and a
// socket made of plain calls.
import net from "node:net";

export const server = process.env.SLUICE_URL, other = process.env.SLUICE_OTHER_URL;

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `claim()` is true, and gives its value. */
export async function eventually(claim, ms = 5000) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await claim();
    if (value) return value;
    if (Date.now() > end) throw new Error(`did not come within ${ms} ms: ${claim}`);
    await sleep(10);
  }
}

export async function http(path, init) {
  const answer = await fetch(server + path, init);
  return answer.status === 204 ? undefined : answer.json();
}

export const post = (node, value, graph = "g") =>
  http(`/v1/graphs/${graph}/nodes/${node}`, { method: "POST", body: JSON.stringify(value) });

/**
 * A way to `target` on a port of its own. The Host field has to name the way, which loopback
 * addresses do.
 */
export async function way(target = server) {
  const pairs = new Set();
  const state = { target: new URL(target), frozen: false, refusing: false, muted: false };
  const listener = net.createServer((near) => {
    if (state.refusing) return near.destroy();
    const far = net.connect(Number(state.target.port), state.target.hostname);
    const pair = [near, far];
    pairs.add(pair);
    near.on("data", (bytes) => state.frozen || far.write(bytes));
    far.on("data", (bytes) => state.frozen || state.muted || near.write(bytes));
    for (const end of pair) {
      end.on("error", () => {});
      end.on("close", () => { pairs.delete(pair); for (const each of pair) each.destroy(); });
    }
  });
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    state,
    url: `ws://127.0.0.1:${listener.address().port}/v1/ws`,
    cut() { for (const pair of pairs) for (const end of pair) end.destroy(); },
    close() { this.cut(); listener.close(); },
  };
}

/** A socket whose other end is the test. */
export class FakeSocket {
  static made = [];
  sent = [];
  readyState = 0;

  constructor(url, protocol) {
    this.url = String(url);
    this.protocol = protocol;
    FakeSocket.made.push(this);
  }

  static get last() { return FakeSocket.made.at(-1); }

  send(text) { this.sent.push(JSON.parse(text)); }
  close() { this.readyState = 3; }
  open(hello = {}) {
    this.readyState = 1;
    this.onopen();
    this.tell({ op: "hello", session: "c:1", server: "test", hb: 25, ...hello });
  }
  tell(message) { this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) }); }
  end(code, reason = "") { this.readyState = 3; this.onclose?.({ code, reason }); }
}
