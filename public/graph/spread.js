// The spread of a family: the least, the mean and the greatest of its members' numbers, or how
// often each other value is held. Looking keeps none of them alive.
import { formatNumber, formatValue } from "/lib/format.js";
import { globOf } from "./glob.js";

/** Milliseconds between two looks; how many members are asked for at once, and at most. */
const every = 5000, page = 1000, most = 5000;

/** `entries` are members with `v` or `fail`; in words that fit a node's line. Pure. */
export function spreadOf(entries, { unit = "", words } = {}) {
  const held = entries.filter((entry) => "v" in entry), numbers = held.map(({ v }) => v).filter((v) => typeof v === "number");
  const failed = entries.filter(({ fail }) => fail).length, parts = [];
  if (numbers.length && numbers.length === held.length) {
    let least = Infinity, greatest = -Infinity, sum = 0;
    for (const v of numbers) { least = Math.min(least, v); greatest = Math.max(greatest, v); sum += v; }
    const text = (v) => formatNumber(v, 4);
    parts.push(least === greatest ? `all ${formatValue(least, unit)}`
      : `${text(least)} to ${text(greatest)}${unit && `\u202f${unit}`}, mean ${formatNumber(sum / numbers.length, 3)}`);
  } else if (held.length) {
    const counts = [...Map.groupBy(held, ({ v }) => (typeof v === "object" && v ? "others" : formatValue(v, unit, words)))]
      .map(([text, all]) => [text, all.length]).sort((a, b) => b[1] - a[1]);
    const shown = counts.slice(0, counts.length > 3 ? 2 : 3), rest = held.length - shown.reduce((sum, [, n]) => sum + n, 0);
    parts.push(...shown.map(([text, n]) => `${n} ${text.slice(0, 12)}`), rest > 0 && `${rest} others`);
  }
  const isPart = entries.length >= most;
  return [...parts, failed > 0 && `${failed} failed`, isPart && `of the first ${formatNumber(entries.length)}`]
    .filter(Boolean).join(", ");
}

/** Keeps `spread` of the families of a page true while the page is visible. */
class Spreads {
  #page; #timer; #seen = "";

  constructor(page) {
    this.#page = page;
    page.context.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
    this.look();
  }

  async look() {
    clearTimeout(this.#timer);
    const { context: { signal, client }, model, view, graph } = this.#page, { families } = model;
    const seen = `${model.epoch} ${model.rev} ${families.map(({ id }) => id)}`;
    // The list of members is that of now: the past has none.
    if (!document.hidden && !client.query && seen !== this.#seen) {
      this.#seen = seen;
      await Promise.all(families.map(async (family) => {
        try { family.spread = spreadOf(await membersOf(graph, family), family); } catch { this.#seen = ""; }
      }));
    }
    if (signal.aborted) return;
    // What came with a message meanwhile is another object of the same name.
    for (const { id, spread } of families) if (model.nodes.get(id)) model.nodes.get(id).spread = spread;
    view.repaint(families.map(({ id }) => id));
    this.#page.parts.outline?.mark();
    this.#page.parts.panel?.update();
    this.#timer = setTimeout(() => this.look(), every);
  }
}

async function membersOf(graph, { name }) {
  const found = [];
  for (let next = ""; found.length < most;) {
    const query = new URLSearchParams({ match: globOf(name), limit: page, ...(next && { next }) });
    const answer = await fetch(`/v1/graphs/${encodeURIComponent(graph)}/nodes?${query}`);
    if (!answer.ok) throw new Error(String(answer.status));
    const body = await answer.json();
    found.push(...body.nodes.filter(({ family }) => family === name));
    if (!(next = body.next)) break;
  }
  return found;
}

export const attach = (page) => new Spreads(page);
