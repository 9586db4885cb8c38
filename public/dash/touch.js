// A dashboard on a wall that is operated by touch: pages that fit the screen, a saver, and a screen
// that stays on.
import { h, load, setAttribute } from "/lib/dom.js";
import { pagesOf, roomOf, scaleOf, zoomTo } from "/dash/kiosk.js";
import { columns } from "/dash/layout.js";

/** The px that the dots of pages take. */
const dots = 56;
/** What can be touched has at least so many px, whatever the scale. */
const target = 48;
/** A page of few rows is stretched at most so much. */
const stretch = 2;
/** Minutes without touch before the screen rests, unless the address has `saver`. */
const minutes = 5;

export class Touch {
  #board; #ending = new AbortController(); #pages = [0]; #lock;
  #marks = h("div", { class: "page-marks", "aria-hidden": "true" });
  #dots = h("nav", { class: "pages", "aria-label": "Pages" });

  constructor(board) {
    const { element, page } = this.#board = board, { signal } = this.#ending, root = element.parentElement;
    page.signal.addEventListener("abort", () => this.close());
    page.style("/dash/touch.css");
    root.append(this.#marks, this.#dots);
    root.addEventListener("scroll", () => this.#tell(), { signal });
    document.addEventListener("visibilitychange", () => this.#stayOn(), { signal });
    this.#stayOn();
    const wanted = Number(page.route.query.get("saver") ?? minutes), after = wanted >= 0 ? wanted : minutes;
    let hasSaver = !after;
    page.frame.tick(() => {
      this.#tell();
      // Fetched before it is needed, as the server may be gone then; again after a failure.
      if (hasSaver || !page.store.get("present") || board.connection.name !== "live") return;
      hasSaver = true;
      load("/dash/saver.js").then(({ Saver }) => signal.aborted || new Saver(board, this, after, signal),
        () => { hasSaver = false; });
    }, signal);
  }

  close() {
    const { element } = this.#board;
    this.#ending.abort();
    this.#lock?.release().catch(() => {});
    this.#marks.remove();
    this.#dots.remove();
    element.parentElement?.classList.remove("paged");
    Object.assign(element.style, { width: "", gridTemplateColumns: "" });
  }

  /** Where the browser can: only with HTTPS. */
  async #stayOn() {
    if (document.hidden) return;
    try { this.#lock = await navigator.wakeLock?.request("screen"); } catch { /* the tablet's own settings decide */ }
    if (this.#ending.signal.aborted) this.#lock?.release().catch(() => {});
  }

  /** Places the widgets on pages, which lie beside each other. */
  fit() {
    const { element, page, widgets } = this.#board, places = widgets.map(({ data }) => data);
    const isWall = !page.store.get("narrow"), isWhole = pagesOf(places, roomOf(innerHeight)).length === 1;
    const height = isWhole ? innerHeight : innerHeight - dots;
    const starts = this.#pages = isWall && !isWhole ? pagesOf(places, roomOf(height)) : [0], { length } = starts;
    const end = Math.max(1, ...places.map(({ y, h }) => y + h)), rowsOf = (i) => (starts[i + 1] ?? end) - starts[i];
    const rows = Math.max(...starts.map((_, i) => rowsOf(i))), { scale, rowHeight } = scaleOf(rows, innerWidth, height);
    widgets.forEach(({ element: tile, data: { x, y, w, h } }) => {
      const i = starts.findLastIndex((row) => row <= y), by = Math.min(stretch, rows / rowsOf(i));
      const from = Math.round((y - starts[i]) * by), to = Math.round((y - starts[i] + h) * by);
      tile.style.gridColumn = `${columns * i + x + 1} / span ${w}`;
      tile.style.gridRow = `${from + 1} / span ${to - from}`;
    });
    Object.assign(element.style, isWall ? { gridAutoRows: `${rowHeight}px`, width: `${100 * length}%`,
      gridTemplateColumns: `repeat(${columns * length}, minmax(0, 1fr))` }
      : { gridAutoRows: "", width: "", gridTemplateColumns: "" });
    zoomTo(element, isWall ? scale : "");
    element.style.setProperty("--touch", `${isWall ? Math.ceil(target / scale) : target}px`);
    element.parentElement.classList.toggle("paged", length > 1);
    this.#dots.hidden = this.#marks.hidden = length === 1;
    this.#marks.style.width = `${100 * length}%`;
    this.#marks.replaceChildren(...starts.map(() => h("span")));
    if (this.#dots.childElementCount !== length) this.#dots.replaceChildren(...starts.map((_, i) =>
      h("button", { type: "button", onclick: () => this.turn(i) })));
    this.#tell();
  }

  turn(i, behavior = this.#board.page.store.get("reduced") ? "auto" : "smooth") {
    this.#board.element.parentElement.scrollTo({ left: i * innerWidth, behavior });
  }

  /** Which page is shown, and on which there is an alarm. */
  #tell() {
    const { element: { parentElement }, widgets } = this.#board;
    const shown = Math.round(parentElement.scrollLeft / innerWidth);
    const tones = widgets.filter(({ rates }) => rates).map(({ tone, data }) =>
      [this.#pages.findLastIndex((row) => row <= data.y), tone]);
    [...this.#dots.children].forEach((dot, i) => {
      const isLoud = tones.some(([page, tone]) => page === i && tone === "alarm");
      setAttribute(dot, "aria-label", `Page ${i + 1} of ${this.#pages.length}${isLoud ? ", alarm" : ""}`);
      setAttribute(dot, "aria-current", i === shown && "page");
      setAttribute(dot, "data-loud", isLoud);
    });
  }
}
