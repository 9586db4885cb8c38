// The page's one animation loop. Messages only mark items; what is marked and on screen is drawn in the next frame.

export class Frame {
  #items = new Set();
  #byElement = new Map();
  #scheduled = false;
  #ticks = new Set();
  #timer;
  #observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      for (const item of this.#byElement.get(target) ?? []) {
        item.visible = isIntersecting;
        if (isIntersecting && item.dirty) this.#schedule();
      }
    }
  }, { rootMargin: "64px" });

  /** While it says true, only items with `whilePaused` are drawn. */
  #paused = false;

  constructor() {
    document.addEventListener("visibilitychange", () => { this.#schedule(); this.#clock(); });
  }

  get paused() { return this.#paused; }
  set paused(paused) {
    this.#paused = paused;
    this.#schedule();
  }

  /**
   * Something that is drawn: `draw(now)` runs at most once a frame, while it is marked, `element` is on screen and the
   * page is shown; it stays marked when `draw` returns true. `mark()` says that it must be drawn, `close()` forgets it.
   */
  item(element, draw, { whilePaused = false } = {}) {
    const item = { draw, dirty: true, visible: true, whilePaused };
    const around = this.#byElement.get(element) ?? new Set();
    this.#byElement.set(element, around.add(item));
    this.#items.add(item);
    this.#observer.observe(element);
    this.#schedule();
    return {
      mark: () => {
        if (item.dirty) return;
        item.dirty = true;
        this.#schedule();
      },
      close: () => {
        this.#items.delete(item);
        around.delete(item);
        if (around.size) return;
        this.#byElement.delete(element);
        this.#observer.unobserve(element);
      },
    };
  }

  /** Calls `each` about once a second while the page is shown, until `signal` aborts: for ages and countdowns. */
  tick(each, signal) {
    if (signal?.aborted) return;
    this.#ticks.add(each);
    signal?.addEventListener("abort", () => this.#ticks.delete(each), { once: true });
    this.#clock();
  }

  #schedule() {
    if (this.#scheduled || document.hidden) return;
    this.#scheduled = true;
    requestAnimationFrame((now) => this.#draw(now));
  }

  #draw(now) {
    this.#scheduled = false;
    let more = false;
    for (const item of this.#items) {
      if (!item.dirty || !item.visible || (this.#paused && !item.whilePaused)) continue;
      item.dirty = false;
      if (item.draw(now) === true) item.dirty = more = true;
    }
    if (more) this.#schedule();
  }

  #clock() {
    clearTimeout(this.#timer);
    if (document.hidden || !this.#ticks.size) return;
    this.#timer = setTimeout(() => {
      for (const each of [...this.#ticks]) each();
      this.#clock();
    }, 1000 - (Date.now() % 1000));
  }
}
