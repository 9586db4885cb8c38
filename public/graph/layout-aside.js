// The way to the worker that lays large graphs out; one for the page.

let worker = null, requests = 0;
const awaited = new Map();

/** Lays `{graph, memory, options}` out in the worker, and calls `done(picture)`. */
export function layoutAside(message, done) {
  if (!worker) {
    worker = new Worker("/graph/layout-worker.js", { type: "module" });
    worker.onmessage = ({ data: { id, picture } }) => {
      awaited.get(id)?.(picture);
      awaited.delete(id);
    };
  }
  awaited.set(++requests, done);
  worker.postMessage({ id: requests, ...message });
}
