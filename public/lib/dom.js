// Elements without markup: text comes from strangers and is only ever set as text.

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

export const svg = (tag, attributes, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

const styles = new Map();

/** Loads a stylesheet once; resolves when it holds, or could not be had: then it is asked for anew. Views may differ from `/ui/`, which comes before. */
export function style(path) {
  if (!styles.has(path)) {
    styles.set(path, new Promise((resolve) => {
      const link = h("link", { rel: "stylesheet", href: path, onload: resolve, onerror: () => { link.remove(); styles.delete(path); resolve(); } });
      if (path.startsWith("/ui/")) document.querySelector("link[rel=stylesheet]").after(link);
      else document.head.append(link);
    }));
  }
  return styles.get(path);
}

const modules = {};

/** Imports a module by its path, once: WebKit answers a second `import()` before the first has run. A failure is forgotten. */
export const load = (path) => (modules[path] ??= import(path).catch((error) => { delete modules[path]; throw error; }));

/** When every stylesheet that was asked for holds. */
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

/** Makes `items` the children: what is there already, or looks the same, stays; the focus goes to the like of what had it, or to the content. */
export function arrange(parent, items) {
  const focused = document.activeElement, had = parent.contains(focused);
  const kept = items.map((item, i) => (!item.isConnected && parent.children[i]?.isEqualNode(item) ? parent.children[i] : item)), all = new Set(kept);
  for (const child of [...parent.children]) if (!all.has(child)) child.remove();
  kept.forEach((item, i) => { if (parent.children[i] !== item) parent.insertBefore(item, parent.children[i] ?? null); });
  if (!had || parent.contains(document.activeElement)) return;
  ([...parent.querySelectorAll("a")].find(({ href }) => href === focused.href) ?? document.getElementById("main")).focus();
}

/** An icon of the shell; words go with it. */
export const icon = (path, size = 16) =>
  svg("svg", { class: "icon", viewBox: "0 0 16 16", width: size, height: size, "aria-hidden": "true" }, svg("path", { d: path }));
