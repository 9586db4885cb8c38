// What changed between two moments of a graph, with a link to each node.
import { graphPath, h, href, setText } from "/lib/dom.js";
import { formatEntry, formatNumber, plural } from "/lib/format.js";

const most = 100;
const short = (text) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);
const named = ({ nodes }) => new Map(nodes.filter(({ name }) => name !== undefined).map((node) => [node.name, node]));

/**
 * Between the commit `since` and a later picture; `before` is the picture of that commit, or null.
 * Returns `[{ name, title, was, is }]`, with `was` undefined if it is not known.
 */
function changesOf(picture, since, before) {
  const old = before && named(before), now = named(picture);
  const words = (node) => short(formatEntry(heldBy(node), node.unit, node.words));
  const all = [...now.values()].filter(({ c }) => c > since).map((node) => {
    const former = old?.get(node.name);
    return { name: node.name, title: node.title ?? node.name, was: former && words(former), is: words(node) };
  });
  const gone = old ? [...old.values()].filter(({ name }) => !now.has(name)) : [];
  const ended = gone.map((node) => ({ name: node.name, title: node.title ?? node.name, was: words(node), is: "removed" }));
  return [...all, ...ended];
}

const heldBy = ({ v, fail }) => (fail ? { fail } : v === undefined ? { empty: true } : { v });

export class Changes {
  #graph; #summary = h("summary"); #list = h("ul");
  element = h("details", { class: "past-changes small", hidden: true }, this.#summary, this.#list);

  constructor(graph) { this.#graph = graph; }

  show(picture, since, before) {
    const all = changesOf(picture, since, before), { rev } = picture, isOne = rev - since <= 1;
    this.element.hidden = false;
    const when = isOne ? `in revision ${formatNumber(rev)}`
      : `in ${plural(rev - since, "commit")} up to revision ${formatNumber(rev)}`;
    setText(this.#summary, all.length ? `${plural(all.length, "node")} changed ${when}` : `No node changed ${when}`);
    this.#list.replaceChildren(...all.slice(0, most).map(({ name, title, was, is }) => h("li", {},
      h("a", { href: href(`${graphPath(this.#graph)}?node=${encodeURIComponent(name)}`) }, title), " ",
      h("span", { class: "num" }, was === undefined ? is : was === is ? `${is}, again` : `${was} → ${is}`))));
    if (all.length > most) this.#list.append(h("li", {}, `and ${formatNumber(all.length - most)} more`));
  }
}
