// The place of the inspector: beside the picture, with adjustable width, or in a sheet on a phone.
import { h } from "/lib/dom.js";
import { Inspector } from "./inspector.js";

const least = 260, usual = 336, most = 720, stored = "sluice.inspector";

class Panel {
  #o; #inspector;
  #aside = h("aside", { class: "graph-aside", "aria-label": "Inspector", hidden: true },
    h("div", { class: "graph-aside-scroll" }));
  #sheet = h("dialog", { class: "sheet in-graph", "aria-label": "Inspector" });

  /** `o`: the options of the inspector, `body` to contain it, `narrow()` and `signal`. */
  constructor(o) {
    this.#o = o;
    this.#inspector = new Inspector(o);
    this.#sheet.addEventListener("close", () => { if (o.narrow() && !o.signal.aborted) o.close(); });
    this.#sheet.addEventListener("click", (event) => event.target === this.#sheet && this.#sheet.close());
    o.body.append(this.#aside, this.#sheet);
    resizable(this.#aside, o.signal);
  }

  update() { this.#inspector.update(); }
  rebuild() { this.#inspector.rebuild(); }

  /** Shows a node or listener; true if it now takes more room from the picture. */
  show(id) {
    this.#inspector.show(id);
    if (this.#o.narrow()) {
      this.#sheet.append(this.#inspector.element);
      if (!this.#sheet.open) this.#sheet.showModal();
      return false;
    }
    const wasHidden = this.#aside.hidden;
    this.#aside.hidden = false;
    if (!this.#aside.contains(this.#inspector.element)) this.#aside.lastElementChild.append(this.#inspector.element);
    return wasHidden;
  }

  hide() {
    this.#inspector.close();
    this.#aside.hidden = true;
    if (this.#sheet.open) this.#sheet.close();
  }

  /** The window has become wide: moves the inspector from the sheet to the side. */
  widen() {
    const { id } = this.#inspector;
    if (!this.#sheet.open) return;
    this.#sheet.close();
    this.show(id);
  }
}

/**
 * Lets people choose how wide `panel` is, by pointer and by keys; the width is kept in this
 * browser.
 */
function resizable(panel, signal) {
  const grip = h("div", { class: "grip", role: "separator", tabindex: 0, "aria-orientation": "vertical",
    "aria-label": "Width of the inspector", "aria-valuemin": least, "aria-valuemax": most, "aria-valuenow": usual });
  const set = (width) => {
    const kept = Math.round(Math.min(most, Math.max(least, Math.min(width, innerWidth * 0.6))));
    panel.style.width = `${kept}px`;
    grip.setAttribute("aria-valuenow", kept);
    try { localStorage.setItem(stored, kept); } catch { /* not kept */ }
  };
  const listen = (name, body) => grip.addEventListener(name, body, { signal });
  listen("pointerdown", (event) => grip.setPointerCapture(event.pointerId));
  listen("pointermove",
    (event) =>
      { if (grip.hasPointerCapture(event.pointerId)) set(panel.getBoundingClientRect().right - event.clientX); });
  listen("dblclick", () => set(usual));
  listen("keydown", (event) => {
    const step = { ArrowLeft: 24, ArrowRight: -24 }[event.key];
    if (!step) return;
    event.preventDefault();
    set(panel.getBoundingClientRect().width + step);
  });
  panel.prepend(grip);
  let width = null;
  try { width = Number(localStorage.getItem(stored)); } catch { /* none */ }
  if (width) set(width);
}

export function attach(page) {
  const { client, announce, href, signal, store } = page.context;
  return new Panel({
    model: page.model, graph: page.graph, client, announce, href, signal, body: page.stage.parentElement,
    narrow: () => store.get("narrow"), isSignedIn: () => store.get("session"),
    select: (id) => page.select(id, { reveal: true }), light: (kind, set) => page.highlight.light(kind, set),
      close: () => page.select(null),
  });
}
