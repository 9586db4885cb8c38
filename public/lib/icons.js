// The icons that a definition can give a node (`icon: door`): symbols of `/icons.svg`, which is
// fetched with the first of them.
import { svg } from "./dom.js";

let sheet;

/** Puts the sheet into the document: icons stay while the server is gone. */
async function fetched() {
  const text = await (await fetch("/icons.svg")).text();
  const { documentElement } = new DOMParser().parseFromString(text, "image/svg+xml");
  documentElement.toggleAttribute("hidden", true);
  document.body.append(document.adoptNode(documentElement));
}

/** The symbol of a name, or the general one. */
export function symbol(name, attributes) {
  const use = svg("use", { href: `#i-${name}`, ...attributes });
  sheet ??= fetched().catch(() => (sheet = undefined));
  sheet.then(() => sheet && !document.getElementById(`i-${name}`) && use.setAttribute("href", "#i-other"));
  return use;
}

/** The icon of a node, or nothing. */
export const nodeIcon = (node) => (node?.icon
  ? svg("svg", { class: "icon node-icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, symbol(node.icon)) : null);
