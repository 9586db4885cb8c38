// The way to the worker that lays large graphs out; one for the page.

let worker = null, requests = 0;
const awaited = new Map();

/**
 * Lays `{graph, memory, options}` out in the worker, and calls `done(picture)`; without a picture
 * where there is no worker.
 */
export function layoutAside(message, done) {
  if (!worker) {
    worker = new Worker("/graph/layout-worker.js", { type: "module" });
    worker.onmessage = ({ data: { id, picture } }) => {
      awaited.get(id)?.(picture);
      awaited.delete(id);
    };
    // Its modules could not be had: the next picture asks for another.
    worker.onerror = () => {
      worker = null;
      const dones = [...awaited.values()];
      awaited.clear();
      for (const each of dones) each(null);
    };
  }
  awaited.set(++requests, done);
  worker.postMessage({ id: requests, ...message });
}
