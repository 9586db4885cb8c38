// Does what the common table of scenarios asks for: Tests/EndToEnd/clients/README.md has the
// requests that come on standard input, and the answers and events that go to standard output.
import { createInterface } from "node:readline";
import { connect, decode, encode } from "../../../public/client.js";

let client;
// What ends each watch, by its handle.
const endings = new Map();
// Requests that ended with `unknown-outcome`, by the id of the command.
const unknown = new Map();

const write = (text) => process.stdout.write(`${text}\n`);

/** An event waits until the command at hand is answered. Its content is that of this moment. */
function tell(event) {
  queueMicrotask(write.bind(null, encode(event)));
}

const teller = (handle) => (value, meta) => tell({ on: handle, value, meta });

/** The target that a command names, and the options that are left. */
function split({ target, graph, nodes, combine, ...options }) {
  return [target ?? { graph, ...(nodes ? { nodes } : { combine }) }, options];
}

const commands = {
  connect({ url, ...options }) {
    client = connect(`${url}/v1/ws`, {
      ...options,
      onState: ({ name }) => tell({ state: name }),
      onGap: (gap) => tell({ gap }),
      onError: (error) => tell({ warn: String(error) }),
    });
  },
  close: () => client.close(),

  set: ({ target, value, graph, values, ...options }) =>
    target ? client.set(target, value, options) : client.set({ graph }, values, options),
  update: ({ target, expression, graph, expressions, ...options }) =>
    target ? client.update(target, expression, options) : client.update({ graph }, expressions, options),
  wipe: ({ graph, match }) => client.wipe(graph, match),
  get: ({ target, graph, nodes, ...options }) =>
    target ? client.get(target, null, options) : client.get({ graph }, nodes, options),
  list: ({ changes }) => client.list(changes ? (graphs) => tell({ changes: graphs }) : undefined),
  load: ({ target, ...report }) => client.load(target, report),
  presence: ({ target, value }) => client.presence(target, value),
  auth: ({ token }) => client.auth(token),
  ping: () => client.ping(),
  retry: () => client.retry(),
  repeat: ({ of }) => unknown.get(of).repeat(),

  watch({ handle, ...asked }) {
    const [target, options] = split(asked);
    keep(handle, client.watch(target, null, teller(handle), options));
  },
  stream({ handle, ...asked }) {
    const [target, options] = split(asked);
    const stream = client.stream(target, null, options);
    endings.set(handle, () => void stream.return());
    read(handle, stream);
  },
  link: ({ handle, graph, from, to, ...options }) =>
    keep(handle, client.link(graph, from, to, teller(handle), options)),
  sync: ({ handle, graph, a, b, ...options }) =>
    keep(handle, client.sync(graph, a, b, teller(handle), options)),
  demand: ({ handle, graph, nodes }) => keep(handle, client.demand(graph, nodes, teller(handle))),
  observe: ({ handle, graph, ...options }) =>
    keep(handle, client.observe(graph, (value) => tell({ on: handle, value }), options)),
  unwatch: ({ handle }) => endings.get(handle)(),
  release: ({ owner }) => client.owner(owner).release(),

  stall({ seconds }) {
    setImmediate(() => {
      const end = performance.now() + seconds * 1000;
      while (performance.now() < end);
    });
  },
};

function keep(handle, watch) {
  endings.set(handle, () => watch.close());
}

async function read(handle, stream) {
  let end = null;
  try {
    for await (const value of stream) tell({ on: handle, value });
  } catch (error) {
    end = error.code;
  }
  tell({ on: handle, end });
}

/** A command without a promise is answered at once, before any event that it causes. */
function answer({ id, do: name, ...fields }) {
  const succeed = (ok = null) => write(encode({ id, ok }));
  const fail = (error) => {
    if (error.repeat) unknown.set(id, error);
    // An error without a code is a fault, of which the place must be seen.
    const { code = "fault", path, key, message, stack } = error;
    write(encode({ id, error: { code, message: error.code ? message : stack, path, key } }));
  };
  try {
    const result = commands[name](fields);
    if (result instanceof Promise) result.then(succeed, fail);
    else succeed();
  } catch (error) {
    fail(error);
  }
}

for await (const line of createInterface({ input: process.stdin })) answer(decode(line));
client?.close();
