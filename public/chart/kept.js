// Asks the server for the steps of time that a chart shows and that have not come as single values.
import { Steps } from "./track.js";

/** How long (ms) a view rests before its steps are asked for, and how often they are renewed. */
const rest = 150, renewed = 5000;

export class Kept {
  #track; #path; #changed; #shown; #next = {}; #timer; #askedAt = -Infinity; #ending = new AbortController();

  /** `changed()` is called when steps have come. */
  constructor(graph, node, track, changed) {
    this.#track = track;
    this.#path = `/v1/graphs/${encodeURIComponent(graph)}/nodes/${encodeURIComponent(node)}/history`;
    this.#changed = changed;
  }

  /**
   * Called whenever this is drawn: `[from, to]` on `width` pixels, `view` being the same while only
   * time passes. In the past no single values come, so what follows is asked for in advance.
   */
  want(from, to, width, view, isPast) {
    const { kept, ring } = this.#track, [first] = ring.length ? [ring.time(0)] : [Infinity];
    // Single values that were dropped have left a hole.
    const isTorn = kept && first > Math.max(from, kept.end + kept.step) && performance.now() - this.#askedAt > renewed;
    const isCovered = !isPast || (from >= this.#next.begin && to <= this.#next.end);
    if (!ring.length || (this.#shown === view && isCovered && !isTorn)) return;
    const isFirst = this.#shown === undefined;
    this.#shown = view;
    if (first <= from) return;
    const ahead = isPast ? to - from : 0, points = isPast ? 2 * width : width;
    this.#next = { begin: from, end: to + ahead, points: Math.min(2000, Math.max(50, points)) };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), isFirst ? 0 : rest);
  }

  async #ask() {
    this.#askedAt = performance.now();
    const asked = this.#next, { signal } = this.#ending;
    const query = Object.entries(asked).map(([key, value]) => [key, Math.max(0, Math.round(value))]);
    const answer = await fetch(`${this.#path}?${new URLSearchParams(query)}`, { signal }).catch(() => {});
    const body = answer?.ok ? await answer.json().catch(() => {}) : null;
    if (!body || signal.aborted || asked !== this.#next) return;
    this.#track.kept = new Steps(body);
    this.#changed();
  }

  close() {
    clearTimeout(this.#timer);
    this.#ending.abort();
  }
}
