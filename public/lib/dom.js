// Elements without markup: names and values come from strangers, so text is only ever set as text.

const names = new Map([["svg", "http://www.w3.org/2000/svg"]]);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** `h("button", { class: "quiet", onclick: fn, disabled: false }, "text", node, [more])`. */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** The same for SVG. */
export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS(names.get("svg"), tag), attributes, children);

const styles = new Map();

/** Loads a stylesheet once; resolves when it holds, or could not be had. Those of `/ui/` come before those of views, which may differ from them. */
export function style(path) {
  if (!styles.has(path)) {
    styles.set(path, new Promise((resolve) => {
      const link = h("link", { rel: "stylesheet", href: path, onload: resolve, onerror: resolve });
      if (path.startsWith("/ui/")) document.querySelector("link[rel=stylesheet]").after(link);
      else document.head.append(link);
    }));
  }
  return styles.get(path);
}

/** When every stylesheet that was asked for holds: what is built then does not flicker. */
export const styled = () => Promise.all(styles.values());

/** Changes an element's text through its text node, and only if it differs: the cheapest way for what changes often. */
export function setText(element, text) {
  const node = element.firstChild;
  if (node?.nodeType === 3 && !node.nextSibling) {
    if (node.data !== text) node.data = text;
  } else {
    element.textContent = text;
  }
}

/** Sets or removes an attribute, only if it differs. */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else {
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** An icon of the shell, drawn with the text's colour; words go with it. */
export function icon(path, size = 16) {
  return svg("svg", { class: "icon", viewBox: "0 0 16 16", width: size, height: size, "aria-hidden": "true" },
    svg("path", { d: path }));
}
