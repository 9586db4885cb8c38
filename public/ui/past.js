// The page in the past: the times that the server keeps, and a view of the chosen one. The live
// view continues hidden, and is shown again on return.
import { h, load, setAttribute, setText, style, styled } from "/lib/dom.js";
import { formatNumber } from "/lib/format.js";
import { decode } from "/client.js";
import { Changes } from "./past-changes.js";
import { PastClient } from "./past-client.js";
import { Clock } from "./past-clock.js";

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
  #page; #path; #kept = null; #isAsking = false; #timer; #withSteps = true;
  /** The moment that is wanted, `{ rev }` or `{ time }`, the one that is shown, and its picture. */
  #wanted = {}; #shown = null; #picture = null;
  /** The time of the commit after the picture's, once known: until then nothing changes. */
  #until;
  #ending = new AbortController(); #view = null; #showing = null; #live = null;
  #slot = h("div", { class: "slot" });
  #when = h("strong", { class: "past-when" });
  #words = h("p", { class: "past-words small", role: "status" });
  #clock = new Clock((moment) => this.#move(moment), () => this.#isAsking); #changes; #bar;

  /**
   * `page`: the context of views, with `main`, `slot`, `context` (the bar of the graph), and
   * `closed()`.
   */
  constructor(page, graph) {
    this.#page = page;
    this.graph = graph;
    this.#path = `/v1/graphs/${encodeURIComponent(graph)}`;
    this.client = new PastClient(graph);
    this.#changes = new Changes(graph);
    const back = h("button", { type: "button", class: "primary", onclick: () => this.close() }, "Back to now");
    this.#bar = h("section", { class: "past-bar", "aria-label": "The past",
      onkeydown: (event) => { if (event.key === "Escape") { event.preventDefault(); this.close(); } } },
      h("div", { class: "past-head" }, h("span", { class: "past-mark" }, "Past, read-only"), this.#when, back),
        this.#clock.element, this.#changes.element, this.#words);
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
      this.#clock.element.hidden = true;
      setText(this.#when, "There is only the present");
      setText(this.#words, "This server keeps no past. It does with dataDir in its configuration.");
      return void this.#bar.querySelector("button.primary").focus();
    }
    document.documentElement.toggleAttribute("data-past", true);
    this.#kept = kept;
    this.follow(path, route);
    this.#clock.focus();
    this.#move({ rev: kept.to });
    this.#page.announce("Looking at the past. Nothing can be changed. Escape goes back to now");
  }

  /** Learns of which times the revisions are that are kept. */
  async #keep({ from, to }) {
    this.#kept = { from, to };
    try {
      this.#clock.keep(await this.#timeOf(from), await this.#timeOf(to));
    } catch (error) {
      if (!this.signal.aborted && error.code === "busy") setTimeout(() => this.#keep({ from, to }), error.after || 1000);
    }
  }

  /** When a revision was committed. No node has the name that is asked for. */
  async #timeOf(rev) {
    const query = `nodes=-*&at=${rev}&epoch=${encodeURIComponent(this.client.epoch)}`;
    return (await ask(`${this.#path}/values?${query}`, this.signal)).t;
  }

  /** `{ rev }`, `{ time }`, or `{ step }` from the revision that is shown. */
  #move({ rev, time, step }) {
    const { from, to } = this.#kept;
    // Steps that follow each other faster than they are shown add up.
    const next = step ? (this.#wanted.rev ?? this.#picture?.rev ?? to) + step : rev;
    this.#wanted = time === undefined ? { rev: Math.min(to, Math.max(from, next)) } : { time: Math.round(time) };
    this.#label();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#load(), 80);
  }

  #label() {
    const { rev, time } = this.#wanted, shown = this.#shown === this.#wanted ? this.#picture : null;
    const number = rev ?? shown?.rev, at = time ?? (shown?.rev === rev ? shown?.t : undefined);
    const words = [at === undefined ? "…" : moment.format(at), number === undefined ? "…" : `revision ${formatNumber(number)}`];
    setText(this.#when, words.join(" · "));
    if (at !== undefined) this.#clock.show(at, `Revision ${number ?? "…"}, ${words[0]}`);
  }

  /** One request at a time; if another moment is wanted meanwhile, the next one. */
  async #load() {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const { signal } = this;
    while (this.#wanted !== this.#shown && !signal.aborted) {
      const wanted = this.#wanted;
      this.#bar.setAttribute("aria-busy", "true");
      try {
        const before = this.#picture, isFirst = !before;
        const picture = this.#holdsAt(wanted.time) ? before : await this.#ask(wanted);
        if (signal.aborted) break;
        if (picture.rev !== before?.rev) this.#until = undefined;
        this.#show(picture, wanted);
        // Nothing has changed since the last look: until when?
        if (wanted.time !== undefined && picture.rev === before?.rev && this.#until === undefined) {
          this.#until = picture.rev < this.#kept.to ? await this.#timeOf(picture.rev + 1).catch(() => {}) : Infinity;
        }
        if (isFirst) await this.#keep(this.#kept);
      } catch (error) {
        if (signal.aborted) break;
        await this.#refused(error, wanted);
      }
      this.#label();
    }
    this.#isAsking = false;
    this.#bar.removeAttribute("aria-busy");
  }

  #holdsAt(time) { return time >= this.#picture?.t && time < this.#until; }

  #show(picture, wanted) {
    const before = this.#picture, { rev, t } = picture, isLater = before && before.rev < rev;
    this.#shown = wanted;
    this.#picture = picture;
    this.client.show(picture, wanted.time ?? t);
    if (before?.rev !== rev) this.#changes.show(picture, isLater ? before.rev : rev - 1, isLater ? before : null);
    setText(this.#words, "");
  }

  /** The whole graph; clients that may not see all of it get the named nodes. */
  async #ask({ rev, time }) {
    const at = time === undefined ? `${rev}&epoch=${encodeURIComponent(this.client.epoch)}` : `@${time}`;
    const path = `${this.#path}/graph?format=json&at=${at}`;
    if (this.#withSteps) {
      try { return await ask(`${path}&live=1`, this.signal); } catch (error) {
        if (error.code !== "forbidden") throw error;
        this.#withSteps = false;
      }
    }
    return ask(path, this.signal);
  }

  async #refused({ code, kept, after, message }, wanted) {
    if (code === "busy") {
      setText(this.#words, "Many are looking at the past. Waiting for a turn…");
      return pause(after || 1000);
    }
    // What was shown stays on the page until another moment is chosen.
    this.#shown = wanted;
    this.#clock.stop();
    const what = wanted.rev === undefined ? "This time" : `Revision ${formatNumber(wanted.rev)}`;
    if (code === "gone" && kept) {
      this.#keep(kept);
      setText(this.#words, `${what} is no longer kept. The oldest is revision ${formatNumber(kept.from)}.`);
    } else if (code === "unknown_graph") {
      setText(this.#words, wanted.rev === undefined ? "There was no such graph at this time." : `${what} had ended the graph.`);
    } else {
      setText(this.#words, `${what} cannot be shown: ${message}`);
    }
  }

  /** The address names this view of the graph now. */
  async follow(path, route) {
    if (!this.#kept) return;
    const query = new URLSearchParams(route.query);
    query.set("kiosk", "1");
    const inPast = route.name === "dash" ? { ...route, query } : route;
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
    this.#clock.stop();
    this.#unmount();
    this.client.close();
    this.#bar.remove();
    document.documentElement.toggleAttribute("data-past", false);
    this.#page.closed();
  }
}
