// What was created and released: what went lately, and a strip of five minutes.
import { h, setText } from "/lib/dom.js";
import { formatAge, formatDuration, formatEntry } from "/lib/format.js";
import { wordOf } from "/lib/words.js";
import { plain, titleOf } from "./shapes.js";

const reasons = {
  last_owner: "the last client that listened left", removed: "it was taken out of the definition",
  redefined: "its definition changed", pressure: "memory was short",
  expired: "it was not set for too long", dropped: "it was dropped",
};

/** What has come and gone, in words. */
export function tellingOf({ joined, left, born, died }) {
  const words = [[joined, "client", "joined"], [left, "client", "left"], [born, "node", "created"],
    [died, "node", "released"]];
  return words.filter(([list]) => list.length)
    .map(([{ length }, what, how]) => `${length} ${what}${length === 1 ? "" : "s"} ${how}`).join(", ");
}

/** How many seconds are counted, and how many released nodes are remembered. */
const seconds = 300;
const trayed = 50;

/** Created and released nodes per second, in rings of fixed size. */
export class LifeLog {
  births = new Uint32Array(seconds);
  deaths = new Uint32Array(seconds);
  tray = [];
  #second = 0;

  apply(news, now = Date.now()) {
    this.#advance(now);
    const at = this.#second % seconds;
    if (!news.fresh) this.births[at] += news.born.length + news.joined.length;
    this.deaths[at] += news.died.length + news.left.length;
    for (const { edges: _, ...gone } of news.died) this.tray.unshift({ ...gone, at: now });
    this.tray.length = Math.min(this.tray.length, trayed);
    return news.died.length > 0;
  }

  #advance(now) {
    const second = Math.floor(now / 1000);
    const passed = Math.min(seconds, Math.max(0, second - this.#second));
    for (let k = 1; k <= passed; k++) {
      const at = (second - passed + k) % seconds;
      this.births[at] = 0;
      this.deaths[at] = 0;
    }
    this.#second = Math.max(this.#second, second);
  }

  /** Oldest first: `[[births, deaths], …]`. */
  read(now = Date.now()) {
    this.#advance(now);
    return Array.from({ length: seconds }, (_, k) => {
      const at = (this.#second + 1 + k) % seconds;
      return [this.births[at], this.deaths[at]];
    });
  }
}

/** The strip along the bottom and the tray that opens from it. */
export class Lifetimes {
  log = new LifeLog();

  constructor({ frame, signal, announce, onFind }) {
    this.#announce = announce;
    this.#onFind = onFind;
    this.element = h("section", { class: "lifetimes", "aria-label": "What was created and released" },
      this.button = h("button", { class: "quiet tray-button", type: "button", "aria-expanded": "false",
        "aria-controls": "graph-tray", onclick: () => this.toggle() }, "Recently released (0)"),
      this.canvas = h("canvas", { class: "strip", role: "img",
        "aria-label": "Nothing created or released in five minutes" }),
      this.words = h("span", { class: "strip-words" }, ""));
    this.tray = h("div", { class: "tray", id: "graph-tray", hidden: true, role: "region",
      "aria-label": "Recently released" });
    this.#item = frame.item(this.canvas, () => this.#draw());
    new ResizeObserver(([{ contentRect }], observer) => {
      if (signal.aborted) return observer.disconnect();
      this.#size = contentRect;
      this.#item.mark();
    }).observe(this.canvas);
    frame.tick(() => { this.#item.mark(); if (!this.tray.hidden) this.#ages(); }, signal);
    signal.addEventListener("abort", () => this.#item.close(), { once: true });
  }

  #item; #announce; #onFind; #drawn = []; #size = { width: 0, height: 0 };

  /** Counts what came and went, as the model told it. */
  take(news, now) {
    this.log.apply(news, now);
    const telling = tellingOf(news);
    if (telling) this.#announce(telling);
    this.update();
  }

  toggle(open = this.tray.hidden) {
    this.tray.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    if (open) this.#fill();
  }

  /** The log has changed. */
  update() {
    setText(this.button, `Recently released (${this.log.tray.length})`);
    this.#item.mark();
    if (!this.tray.hidden) this.#fill();
  }

  #fill() {
    this.#drawn = [];
    if (!this.log.tray.length) {
      this.tray.replaceChildren(h("p", { class: "quiet-text" },
        "Nothing was released so far. When the last client that needs a node leaves, the node goes, and rests here."));
      return;
    }
    const list = h("ul", { class: "tray-list" }, this.log.tray.map((gone) => {
      const age = h("span", { class: "tray-age" }, "");
      this.#drawn.push([age, gone.at]);
      // If very many nodes died at once, the server leaves out their last values.
      const { last } = gone;
      const held = !last ? "" : "v" in last || last.fail ? plain(formatEntry(last, gone.unit, gone.words), 60) : "empty";
      return h("li", {},
        gone.name !== undefined
          ? h("button", { class: "link", type: "button", onclick: () => this.#onFind(gone.id) }, titleOf(gone))
          : h("span", { class: "tray-name" }, titleOf(gone)),
        h("span", { class: "tray-word" }, wordOf(gone)),
        h("span", { class: "tray-value" }, held),
        h("span", { class: "tray-life" },
          `lived ${formatDuration(gone.lived)}; ${reasons[gone.reason] ?? gone.reason}`),
        age);
    }));
    this.tray.replaceChildren(list);
    this.#ages();
  }

  #ages() {
    const now = Date.now();
    for (const [element, at] of this.#drawn) setText(element, formatAge(now - at));
  }

  #draw() {
    const { canvas } = this;
    // Asked for here, the size would make the browser lay out what other items have just written.
    const { width: w, height } = this.#size, ratio = devicePixelRatio || 1;
    if (!w) return;
    if (canvas.width !== Math.round(w * ratio)) { canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(height * ratio); }
    const style = getComputedStyle(canvas), [line, ok, feedback] = ["--hairline", "--ok",
      "--feedback"].map((name) => style.getPropertyValue(name));
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, w, height);
    const rows = this.log.read();
    let born = 0, died = 0, top = 1;
    for (const [b, d] of rows) { born += b; died += d; top = Math.max(top, b, d); }
    const middle = height / 2, column = w / seconds;
    context.fillStyle = line;
    context.fillRect(0, Math.round(middle) - 0.5, w, 1);
    // A logarithmic height: one is visible beside a thousand.
    const length = (count) => (count ? Math.max(3, (middle - 2) * Math.log1p(count) / Math.log1p(top)) : 0);
    rows.forEach(([b, d], k) => {
      const x = k * column, width = Math.max(1.5, column - 0.5);
      if (b) { context.fillStyle = ok; context.fillRect(x, middle - 1 - length(b), width, length(b)); }
      if (d) { context.fillStyle = feedback; context.fillRect(x, middle + 1, width, length(d)); }
    });
    const text = `${born} created, ${died} released in 5 min`;
    setText(this.words, text);
    if (canvas.getAttribute("aria-label") !== text) canvas.setAttribute("aria-label", text);
  }
}

export function attach(page) {
  const { frame, signal, announce } = page.context;
  const lifetimes = new Lifetimes({ frame, signal, announce, onFind: (id) => page.select(id, { reveal: true }) });
  page.strip.replaceWith(lifetimes.tray, lifetimes.element);
  return lifetimes;
}
