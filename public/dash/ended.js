// Below a widget whose subscription has ended.
import { h, setText } from "/lib/dom.js";
import { formatDuration } from "/lib/format.js";

/** Why it has ended, since when, and a button to watch it again. */
export class EndedNote {
  #words = h("span"); #again;

  constructor(sources, changed) {
    this.#again = h("button", { type: "button", class: "link", onclick: () => {
      for (const { feed } of sources) {
        if (!feed.meta?.ended) continue;
        feed.meta = { ...feed.meta, ended: undefined };
        feed.watch.again();
      }
      changed();
    } }, "Watch it again");
    this.element = h("div", { class: "widget-note small" }, this.#words, " ", this.#again);
  }

  /** Of a feed that has ended; without one it is hidden. */
  show(feed) {
    this.element.hidden = !feed;
    if (!feed) return;
    const { code, msg } = feed.meta.ended;
    this.#again.hidden = code === "complete" || code === "past";
    setText(this.#words, code === "node_removed" || code === "done"
      ? `This node was removed ${formatDuration(Date.now() - feed.endedAt)} ago.`
      : code === "complete" ? "Complete: no more values come."
      : code === "past" ? `Not known: ${msg}.`
      : code === "slow" ? "The server ended this because values were not read fast enough."
      : `The server does not give this value: ${msg ?? code}`);
  }
}
