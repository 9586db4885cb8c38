// The page in the past: a slider over the revisions that the server keeps, and a view of the chosen
// one. The live view continues hidden, and is shown again on return.
import { h, icon, load, setAttribute, setText, style, styled } from "/lib/dom.js";
import { formatNumber } from "/lib/format.js";
import { decode } from "/client.js";
import { PastClient } from "./past-client.js";

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", hour12: false });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks the server; errors are thrown with `code`, `kept` and `after` in milliseconds. */
async function ask(path, signal) {
  const answer = await fetch(path, { signal }), body = decode(await answer.text());
  if (answer.ok) return body;
  const { code, detail, title, kept } = body;
  throw Object.assign(new Error(detail ?? title), { code, kept, after: 1000 * answer.headers.get("retry-after") });
}

/**
 * Opens the past of the graph that `current` shows; `hold` keeps the open one, and is called with
 * null when it closes.
 */
export async function lookBack(page, { path, route, graph }, button, hold) {
  const opened = new Past({
    ...page, title: () => {},
    closed() {
      hold(null);
      setAttribute(button, "aria-pressed", "false");
      button.focus();
    },
  }, graph);
  hold(opened);
  setAttribute(button, "aria-pressed", "true");
  await opened.open(path, route).catch((error) => {
    opened.close();
    throw error;
  });
}

class Past {
  graph; client;
  #page; #path; #kept = null; #wanted = 0; #shown = null; #isAsking = false; #timer; #withSteps = true;
  #times = new Map();
  #ending = new AbortController(); #view = null; #showing = null; #live = null;
  #slot = h("div", { class: "slot" });
  #when = h("strong", { class: "past-when" });
  #words = h("p", { class: "past-words small", role: "status" });
  #first = h("span", { class: "small num dim" }); #last = h("span", { class: "small num dim" });
  #slider = h("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": "Revision",
    oninput: () => this.#move(this.#slider.valueAsNumber) });
  #controls = h("div", { class: "past-controls" }); #bar;

  /**
   * `page`: the context of views, with `main`, `slot`, `context` (the bar of the graph), and
   * `closed()`.
   */
  constructor(page, graph) {
    this.#page = page;
    this.graph = graph;
    this.#path = `/v1/graphs/${encodeURIComponent(graph)}`;
    this.client = new PastClient(graph);
    const step = (by, label, path) => h("button",
      { type: "button", class: "quiet only-icon", "aria-label": label, title: label,
        onclick: () => this.#move(this.#wanted + by) }, icon(path));
    this.#controls.append(step(-1, "The commit before", "M10 3L5 8l5 5"), this.#first, this.#slider, this.#last,
      step(1, "The next commit", "M6 3l5 5-5 5"));
    const back = h("button", { type: "button", class: "primary", onclick: () => this.close() }, "Back to now");
    this.#bar = h("section", { class: "past-bar", "aria-label": "The past",
      onkeydown: (event) => { if (event.key === "Escape") { event.preventDefault(); this.close(); } } },
      h("div", { class: "past-head" }, h("span", { class: "past-mark" }, "Past, read-only"), this.#when, back),
        this.#controls, this.#words);
  }

  get signal() { return this.#ending.signal; }

  /** Begins at the newest revision that is kept. */
  async open(path, route) {
    await style("/ui/past.css");
    const { kept, epoch } = await ask(this.#path, this.signal);
    if (this.signal.aborted) return;
    this.#page.context.after(this.#bar);
    this.client.epoch = epoch;
    if (!kept) {
      this.#controls.hidden = true;
      setText(this.#when, "There is only the present");
      setText(this.#words, "This server keeps no past. It does with dataDir in its configuration.");
      return void this.#bar.querySelector("button.primary").focus();
    }
    document.documentElement.toggleAttribute("data-past", true);
    this.#keep(kept);
    this.follow(path, route);
    this.#slider.focus();
    this.#move(kept.to);
    this.#page.announce("Looking at the past. Nothing can be changed. Escape goes back to now");
  }

  #keep({ from, to }) {
    this.#kept = { from, to };
    Object.assign(this.#slider, { min: from, max: to });
    setText(this.#first, `rev ${formatNumber(from)}`);
    setText(this.#last, formatNumber(to));
  }

  #move(rev) {
    const { from, to } = this.#kept;
    this.#wanted = Math.min(to, Math.max(from, rev));
    if (this.#slider.valueAsNumber !== this.#wanted) this.#slider.value = this.#wanted;
    this.#label();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#load(), 80);
  }

  #label() {
    const rev = this.#wanted, t = this.#times.get(rev), time = t ? moment.format(t) : "…";
    setText(this.#when, `${time} · rev ${formatNumber(rev)}`);
    setAttribute(this.#slider, "aria-valuetext", t ? `Revision ${rev}, ${time}` : `Revision ${rev}`);
  }

  /** One request at a time; if the slider has moved meanwhile, the next one. */
  async #load() {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const { signal } = this;
    while (this.#wanted !== this.#shown && !signal.aborted) {
      const rev = this.#wanted;
      this.#bar.setAttribute("aria-busy", "true");
      try {
        const picture = await this.#ask(rev);
        if (signal.aborted) break;
        this.#times.set(rev, picture.t);
        this.#shown = rev;
        this.client.show(picture);
        setText(this.#words, "");
      } catch (error) {
        if (signal.aborted) break;
        await this.#refused(error, rev);
      }
      this.#label();
    }
    this.#isAsking = false;
    this.#bar.removeAttribute("aria-busy");
  }

  /** The whole graph; clients that may not see all of it get the named nodes. */
  async #ask(rev) {
    const path = `${this.#path}/graph?format=json&at=${rev}&epoch=${encodeURIComponent(this.client.epoch)}`;
    if (this.#withSteps) {
      try { return await ask(`${path}&live=1`, this.signal); } catch (error) {
        if (error.code !== "forbidden") throw error;
        this.#withSteps = false;
      }
    }
    return ask(path, this.signal);
  }

  async #refused({ code, kept, after, message }, rev) {
    if (code === "busy") {
      setText(this.#words, "Many are looking at the past. Waiting for a turn…");
      return pause(after || 1000);
    }
    // The shown revision stays on the page until the slider moves.
    this.#shown = rev;
    if (code === "gone" && kept) {
      this.#keep(kept);
      setText(this.#words,
        `Revision ${formatNumber(rev)} is no longer kept. The oldest is ${formatNumber(kept.from)}.`);
    } else if (code === "unknown_graph") {
      setText(this.#words, `Revision ${formatNumber(rev)} had ended the graph.`);
    } else {
      setText(this.#words, `Revision ${formatNumber(rev)} cannot be shown: ${message}`);
    }
  }

  /** The address names this view of the graph now. */
  async follow(path, route) {
    if (!this.#kept) return;
    const inPast = route.name === "dash" ? { ...route, query: new URLSearchParams([...route.query, ["kiosk", "1"]]) }
      : route;
    if (this.#showing?.path === path && this.#showing.element.isConnected) return void this.#view?.update?.(inPast);
    this.#unmount();
    const { main, slot } = this.#page, showing = this.#showing = { path, element: h("div", { class: "view" }),
      ending: new AbortController() };
    this.#live = main.firstElementChild;
    this.#live.hidden = slot.hidden = true;
    main.append(showing.element);
    slot.after(this.#slot);
    const { signal } = showing.ending, header = route.name === "dash" ? h("div") : this.#slot;
    try {
      const { mount } = await load(path);
      await styled();
      if (signal.aborted) return;
      const view = await mount(showing.element, { ...this.#page, client: this.client, route: inPast, signal, header });
      if (signal.aborted) return void view?.unmount?.();
      this.#view = view;
      this.#page.keys.bind("Escape", "Back to now", () => this.close(), { signal, group: "The past" });
    } catch (error) {
      if (!signal.aborted) showing.element.replaceChildren(h("p", { class: "notice" },
        `This view cannot be shown: ${error.message}`));
    }
  }

  #unmount() {
    const showing = this.#showing;
    this.#showing = null;
    showing?.ending.abort();
    try { this.#view?.unmount?.(); } catch (error) { reportError(error); }
    this.#view = null;
    showing?.element.remove();
    this.#slot.replaceChildren();
    this.#slot.remove();
    if (this.#live) this.#live.hidden = this.#page.slot.hidden = false;
    this.#live = null;
  }

  /** Back to now. */
  close() {
    if (this.signal.aborted) return;
    this.#ending.abort();
    clearTimeout(this.#timer);
    this.#unmount();
    this.client.close();
    this.#bar.remove();
    document.documentElement.toggleAttribute("data-past", false);
    this.#page.closed();
  }
}
