// Addresses after the `#`: which view, of what.

const routes = [
  { name: "graphs", pattern: /^\/$/ },
  { name: "graph", pattern: /^\/g\/([^/]+)$/, keys: ["graph"] },
  { name: "dash", pattern: /^\/g\/([^/]+)\/dash$/, keys: ["graph"] },
  { name: "values", pattern: /^\/g\/([^/]+)\/values$/, keys: ["graph"] },
  { name: "clients", pattern: /^\/clients(?:\/([^/]+))?$/, keys: ["id"] },
  { name: "about", pattern: /^\/about$/ },
];

/** Reads `#/g/house?node=x`; what cannot be read is `unknown`. */
export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const clean = path || "/";
  for (const { name, pattern, keys = [] } of routes) {
    const found = pattern.exec(clean);
    if (!found) continue;
    const params = {};
    try {
      keys.forEach((key, i) => { if (found[i + 1] !== undefined) params[key] = decodeURIComponent(found[i + 1]); });
    } catch {
      break;
    }
    return { name, path: clean, params, query: new URLSearchParams(query) };
  }
  return { name: "unknown", path: clean, params: {}, query: new URLSearchParams(query) };
}

export const href = (path) => `#${path}`;

export const graphPath = (graph, view = "") => `/g/${encodeURIComponent(graph)}${view && `/${view}`}`;

export class Router {
  #onRoute;

  constructor(onRoute) {
    this.#onRoute = onRoute;
    addEventListener("hashchange", () => this.follow());
  }

  follow() { this.#onRoute(parse(location.hash)); }

  go(path, { replace = false } = {}) {
    if (location.hash === href(path)) return;
    if (!replace) return void (location.hash = path);
    history.replaceState(null, "", href(path));
    this.follow();
  }
}
