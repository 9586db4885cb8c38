// Basics of all views. Untrusted text is only ever set as text.

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if ((value ?? false) === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => (child ?? false) !== false));
  return element;
}

/** `h("button", { class: "quiet", onclick: fn }, "text", node, [more])`. */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

const styles = new Map();

/** Loads a stylesheet once; resolves also when that fails, and then the next call tries again. */
export function style(path) {
  if (!styles.has(path)) {
    styles.set(path, new Promise((resolve) => {
      const link = h("link", { rel: "stylesheet", href: path, onload: resolve,
        onerror: () => { link.remove(); styles.delete(path); resolve(); } });
      if (path.startsWith("/ui/")) document.querySelector("link[rel=stylesheet]").after(link);
      else document.head.append(link);
    }));
  }
  return styles.get(path);
}

const modules = {};

/** Imports a module once: WebKit answers a second `import()` before the first has run. */
export const load = (path) => (modules[path] ??= import(path).catch((error) => { delete modules[path]; throw error; }));

export const styled = () => Promise.all(styles.values());

/** Changes an element's text through its text node, and only if it differs. */
export function setText(element, text) {
  const node = element.firstChild;
  if (node?.nodeType === 3 && !node.nextSibling) {
    if (node.data !== text) node.data = text;
  } else {
    element.textContent = text;
  }
}

export function setAttribute(element, name, value) {
  const text = (value ?? false) === false ? null : value === true ? "" : String(value);
  if (element.getAttribute(name) === text) return;
  if (text === null) element.removeAttribute(name);
  else element.setAttribute(name, text);
}

/** Puts children into this order; the focus and what is typed stay. */
export function reorder(parent, items) {
  const focused = document.activeElement;
  items.forEach((item, i) => {
    if (parent.children[i] === item) return;
    parent[parent.moveBefore && item.isConnected ? "moveBefore" : "insertBefore"](item, parent.children[i] ?? null);
  });
  if (focused !== document.activeElement && parent.contains(focused)) focused.focus({ preventScroll: true });
}

/** Makes `items` the children; equal ones stay, and so does the focus. */
export function arrange(parent, items) {
  const focused = document.activeElement, had = parent.contains(focused);
  const kept = items.map((item, i) => (!item.isConnected && parent.children[i]?.isEqualNode(item) ? parent.children[i]
    : item)), all = new Set(kept);
  for (const child of [...parent.children]) if (!all.has(child)) child.remove();
  kept.forEach((item, i) => { if (parent.children[i] !== item) parent.insertBefore(item,
    parent.children[i] ?? null); });
  if (!had || parent.contains(document.activeElement)) return;
  ([...parent.querySelectorAll("a")].find(({ href }) => href === focused.href)
    ?? document.getElementById("main")).focus();
}

export const icon = (path, size = 16) =>
  svg("svg", { class: "icon", viewBox: "0 0 16 16", width: size, height: size, "aria-hidden": "true" },
    svg("path", { d: path }));

/** Severities have a shape and a coloured word, each of which is sufficient alone. */
const severityShapes = {
  alarm: "M8 2L14.5 13.5H1.5zM8 6.5v3.5M8 11.8v.2", warning: "M8 2L14.5 13.5H1.5zM8 6.5v3.5M8 11.8v.2",
  info: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M8 7.5v3.5M8 5v.2",
  stale: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M8 5v3l2 1.5", well: "M3 8.5l3.5 3.5L13 4.5",
};

/** `severity`: alarm, warning, info, stale or well. */
export const severityMark = (severity, words) => h("span", { class: "severity small", dataset: { severity } },
  svg("svg", { class: "icon", viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true" },
    svg("path", { d: severityShapes[severity] })), words);

const routes = [
  { name: "home", pattern: /^\/(?:graphs)?$/ },
  { name: "graph", pattern: /^\/g\/([^/]+)$/, keys: ["graph"] },
  { name: "dash", pattern: /^\/g\/([^/]+)\/dash$/, keys: ["graph"] },
  { name: "values", pattern: /^\/g\/([^/]+)\/values$/, keys: ["graph"] },
  { name: "clients", pattern: /^\/clients(?:\/([^/]+))?$/, keys: ["id"] },
  { name: "files", pattern: /^\/files$/ },
  { name: "about", pattern: /^\/about$/ },
];

/** Parses `#/g/house?node=x`; anything else is `unknown`. */
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

export class Store {
  #values = new Map();
  #listeners = new Map();

  get(key) { return this.#values.get(key); }

  set(key, value) {
    if (Object.is(this.#values.get(key), value)) return;
    this.#values.set(key, value);
    const all = this.#listeners.get(key) ?? new Set();
    // A listener may end others, or set the value again.
    for (const listener of [...all]) if (all.has(listener)) listener(this.get(key));
  }

  /** Calls `listener` now and at every change, until `signal` aborts. */
  listen(key, listener, signal) {
    if (signal?.aborted) return;
    const all = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, all.add(listener));
    signal?.addEventListener("abort", () => all.delete(listener), { once: true });
    listener(this.#values.get(key));
  }
}

const safely = (act, ...given) => { try { return act(...given); } catch (error) { reportError(error); } };

/** The one animation loop: draws what is marked and on screen. */
export class Frame {
  #items = new Set();
  #byElement = new Map();
  #scheduled = false;
  #ticks = new Set();
  #timer;
  #paused = false;
  #observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      for (const item of this.#byElement.get(target) ?? []) {
        item.visible = isIntersecting;
        if (isIntersecting && item.dirty) this.#schedule();
      }
    }
  }, { rootMargin: "64px" });

  constructor() {
    document.addEventListener("visibilitychange", () => { this.#schedule(); this.#clock(); });
  }

  get paused() { return this.#paused; }
  set paused(paused) {
    this.#paused = paused;
    this.#schedule();
  }

  /**
   * `draw(now)` runs at most once a frame, while marked and on screen; it stays marked when `draw`
   * returns true.
   */
  item(element, draw, { whilePaused = false } = {}) {
    const item = { draw, dirty: true, visible: true, whilePaused };
    const around = this.#byElement.get(element) ?? new Set();
    this.#byElement.set(element, around.add(item));
    this.#items.add(item);
    this.#observer.observe(element);
    this.#schedule();
    return {
      mark: () => {
        if (item.dirty) return;
        item.dirty = true;
        this.#schedule();
      },
      close: () => {
        this.#items.delete(item);
        around.delete(item);
        if (around.size) return;
        this.#byElement.delete(element);
        this.#observer.unobserve(element);
      },
    };
  }

  tick(each, signal) {
    if (signal?.aborted) return;
    this.#ticks.add(each);
    signal?.addEventListener("abort", () => this.#ticks.delete(each), { once: true });
    this.#clock();
  }

  #schedule() {
    if (this.#scheduled || document.hidden) return;
    this.#scheduled = true;
    requestAnimationFrame((now) => this.#draw(now));
  }

  #draw(now) {
    this.#scheduled = false;
    let more = false;
    for (const item of this.#items) {
      if (!item.dirty || !item.visible || (this.#paused && !item.whilePaused)) continue;
      item.dirty = false;
      // One that fails does not stop the others.
      if (safely(item.draw, now) === true) item.dirty = more = true;
    }
    if (more) this.#schedule();
  }

  #clock() {
    clearTimeout(this.#timer);
    if (document.hidden || !this.#ticks.size) return;
    this.#timer = setTimeout(() => {
      for (const each of [...this.#ticks]) safely(each);
      this.#clock();
    }, 1000 - (Date.now() % 1000));
  }
}

const stored = "sluice.keys";

/** Whether keys are for this element. */
export const isField = (element) =>
  element instanceof HTMLElement
  // The focus may still be in a dialog that has just closed.
  && !element.closest("dialog:not([open])")
  && (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName)
    || element.closest("dialog[open]"));

/**
 * Keys and sequences ("g d"), while no field has the focus; they can be switched off (WCAG 2.1.4).
 */
export class Keys {
  #bindings = new Map();
  #first = "";
  #timer;

  constructor() { addEventListener("keydown", (event) => this.#press(event)); }

  get enabled() {
    try { return localStorage.getItem(stored) !== "off"; } catch { return true; }
  }

  set enabled(enabled) {
    try { enabled ? localStorage.removeItem(stored) : localStorage.setItem(stored, "off"); } catch { /* not kept */ }
  }

  /** The newest binding of a key acts, until its `signal` aborts. */
  bind(key, label, action, { signal, group = "Everywhere" } = {}) {
    if (signal?.aborted) return;
    const binding = { key, label, action, group };
    const all = this.#bindings.get(key) ?? [];
    this.#bindings.set(key, all);
    all.push(binding);
    signal?.addEventListener("abort", () => all.splice(all.indexOf(binding), 1), { once: true });
  }

  list() { return [...this.#bindings.values()].flatMap((all) => all.slice(-1)); }

  #press(event) {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey
      || isField(event.target)) return;
    if (!this.enabled && event.key.length === 1) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const sequence = this.#first ? `${this.#first} ${key}` : key;
    clearTimeout(this.#timer);
    this.#first = "";
    const binding = (this.#bindings.get(sequence) ?? this.#bindings.get(key))?.at(-1);
    if (binding) {
      event.preventDefault();
      binding.action(event);
    } else if ([...this.#bindings].some(([each, all]) => all.length && each.startsWith(`${key} `))) {
      this.#first = key;
      this.#timer = setTimeout(() => (this.#first = ""), 3000);
    }
  }
}

/** Polite messages are announced at most once in five seconds. */
export class Announcer {
  #polite; #assertive; #waiting = []; #timer = null;

  /** Two live regions of the markup: screen readers ignore new ones at first. */
  constructor(polite, assertive) {
    this.#polite = polite;
    this.#assertive = assertive;
  }

  announce(text, { assertive = false } = {}) {
    if (assertive) {
      this.#assertive.textContent = "";
      this.#assertive.textContent = text;
      return;
    }
    if (this.#waiting.at(-1) !== text) this.#waiting.push(text);
    if (this.#timer === null) this.#flush();
  }

  #flush() {
    const count = this.#waiting.length;
    if (!count) return void (this.#timer = null);
    const said = this.#waiting.slice(0, 3).join(". ");
    this.#polite.textContent = count > 3 ? `${said}. And ${count - 3} more` : said;
    this.#waiting = [];
    this.#timer = setTimeout(() => this.#flush(), 5000);
  }
}
