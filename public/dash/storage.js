// Where dashboards are kept: in this browser, in files of the server's folder, in files of one's own.
import { h } from "/lib/dom.js";

/** Dashboards of one graph kept in this browser, by name. */
export class Saved {
  #key;

  constructor(graph) { this.#key = `sluice.dash.${graph}`; }

  #all() {
    try { return JSON.parse(localStorage.getItem(this.#key)) ?? {}; } catch { return {}; }
  }

  names() { return Object.keys(this.#all()); }
  get(name) { const all = this.#all(); return Object.hasOwn(all, name) ? all[name] : undefined; }

  /** False where the browser does not keep anything. */
  set(name, layout) {
    try {
      localStorage.setItem(this.#key, JSON.stringify({ ...this.#all(), [name]: layout }));
      return true;
    } catch { return false; }
  }
}

let list;
/** The server's dashboards: `[{ name, title, graph }]`; none where it has no folder of them. */
export function named() {
  list ??= fetch("/dashboards/").then((answer) => (answer.ok ? answer.json() : []))
    .then((all) => (Array.isArray(all) ? all : all.dashboards ?? []), () => { list = undefined; return []; });
  return list;
}

/** One of them: `{ layout }`, or `{ problem }`. */
export async function readFile(name) {
  if (!(await named()).some((each) => each.name === name)) return { problem: `There is no dashboard named “${name}”.` };
  try {
    const answer = await fetch(`/dashboards/${encodeURIComponent(name)}.json`);
    if (!answer.ok) return { problem: `The dashboard “${name}” could not be read (${answer.status}).` };
    return { layout: await answer.json() };
  } catch (error) {
    return { problem: `The dashboard “${name}” could not be read: ${error.message}.` };
  }
}

/** Gives the person a file. */
export function download(name, thing) {
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(thing, null, 2)}\n`], { type: "application/json" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
