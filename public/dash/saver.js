// What a touch kiosk shows when it was not touched for a while: dark, the time of day and what
// calls for attention, at another place each minute so that nothing burns in.
import { h, setText } from "/lib/dom.js";
import { formatAge, formatEntry } from "/lib/format.js";
import { standing } from "/lib/state.js";
import { isLoud, toneWords } from "/widgets/tone.js";

/** The most alarms it lists, and how long (ms) it takes touches after it was woken. */
const most = 6, guard = 400;
const tones = { alarm: "alarm", warning: "warn" }, urgent = ["alarm", "bad", "warn"];
const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });

export class Saver {
  #board; #touch; #minutes; #touched = Date.now(); #isAsleep = false; #waking; #focused;
  /** What is loud, since when, and when that was last checked; feeds of what no widget shows. */
  #since = new Map(); #checked = 0; #others = new Map();
  #clock = h("time"); #day = h("p", { class: "saver-day" }); #list = h("ul");
  #face = h("div", { class: "saver-face" }, this.#clock, this.#day, this.#list);
  element = h("section", { class: "saver", "aria-label": "Resting: a touch wakes it", hidden: true }, this.#face);

  constructor(board, touch, minutes, signal) {
    this.#board = board;
    this.#touch = touch;
    this.#minutes = minutes;
    board.element.parentElement.append(this.element);
    const { frame, store } = board.page, options = { capture: true, signal };
    for (const name of ["pointerdown", "pointerup", "pointercancel", "keydown"]) {
      addEventListener(name, (event) => this.#hear(event), options);
    }
    frame.tick(() => this.#tick(), signal);
    store.listen("graphs", () => this.#alarms(), signal);
    signal.addEventListener("abort", () => this.#end());
  }

  #end() {
    this.#show(false);
    this.element.remove();
    for (const each of this.#others.values()) each.close();
  }

  /** A touch wakes it, and does nothing else: it is on this until after its click. */
  #hear(event) {
    this.#touched = Date.now();
    if (!this.#isAsleep) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.element.toggleAttribute("data-waking", true);
    clearTimeout(this.#waking);
    if (event.type !== "pointerdown") this.#waking = setTimeout(() => this.#show(false), guard);
  }

  #show(isAsleep) {
    if (isAsleep === this.#isAsleep) return;
    this.#isAsleep = isAsleep;
    if (isAsleep) this.#focused = document.activeElement;
    const { element } = this.#board;
    for (const each of element.parentElement?.children ?? []) each.inert = isAsleep && each !== this.element;
    this.element.toggleAttribute("data-waking", false);
    this.element.hidden = !isAsleep;
    if (!isAsleep) this.#focused?.focus({ preventScroll: true });
    else this.#touch.turn(0, "auto");
  }

  #tick() {
    const now = Date.now();
    if (now - this.#touched >= 60_000 * this.#minutes && !document.querySelector("dialog[open]")) this.#show(true);
    this.#alarms();
    if (!this.#isAsleep) return;
    setText(this.#clock, time.format(now));
    setText(this.#day, day.format(now));
    // The golden ratio comes to every part of the screen soon. The size is a rounded one.
    const minute = Math.floor(now / 60_000), { offsetWidth, offsetHeight, style } = this.#face;
    const [x, y] = [innerWidth - offsetWidth, innerHeight - offsetHeight].map((free, i) =>
      Math.max(0, Math.floor(((minute * [0.618, 0.382][i] + i / 3) % 1) * (free - 1))));
    style.translate = `${x}px ${y}px`;
  }

  /** What is loud: on a widget, or in the graph although no widget shows it. */
  #loud() {
    const board = this.#board, { graph, page, widgets } = board, { facts, feeds } = board.source();
    const shown = widgets.filter((each) => each.rates && isLoud(each.tone)).map((each) => {
      const { data: { pipe, unit }, sources: [{ feed }], title, tone } = each, { node } = feed;
      const known = (!pipe && board.source(each.graph).facts(node)) || {};
      return { key: `${each.graph} ${node} ${title}`, node: each.graph === graph && node, title, tone, feed,
        unit: unit ?? known.unit, words: known.words };
    });
    const { alarms = [] } = page.store.get("graphs")?.find((each) => each.graph === graph) ?? {};
    const others = alarms.filter(({ node, severity }) => tones[severity] && !shown.some((each) => each.node === node));
    for (const [node, each] of this.#others) {
      if (others.some((other) => other.node === node)) continue;
      each.close();
      this.#others.delete(node);
    }
    return [...shown, ...others.map(({ node, title = node, severity }) => {
      if (!this.#others.has(node)) this.#others.set(node, feeds.open(node, undefined, 1, () => {}));
      const { feed } = this.#others.get(node), { unit, words } = facts(node) ?? {};
      return { key: `${graph} ${node}`, title, tone: tones[severity], feed, unit, words, isOther: true };
    })].sort((a, b) => urgent.indexOf(a.tone) - urgent.indexOf(b.tone));
  }

  /** Without a connection the list stays as it was: the banner says that it is from before. */
  #alarms() {
    const { connection, page } = this.#board;
    if (connection.name !== "live") return;
    const all = this.#loud(), now = this.#board.source().feeds.now();
    for (const key of this.#since.keys()) if (!all.some((each) => each.key === key)) this.#since.delete(key);
    for (const { key, title, tone, feed, isOther } of all) {
      const known = this.#since.get(key), at = Math.min(known?.at ?? now, feed.changed || now);
      this.#since.set(key, { at, isSeen: known?.isSeen ?? now - this.#checked < 5000 });
      // Widgets announce their own alarms.
      if (!known && isOther && this.#isAsleep) page.announce(`${toneWords[tone]}: ${title}`, { assertive: true });
    }
    this.#checked = now;
    this.#list.replaceChildren(...all.slice(0, most).map((each) => this.#row(each, now)),
      all.length > most ? h("li", { class: "saver-more" }, `and ${all.length - most} more`) : "");
  }

  #row({ key, title, tone, feed, unit, words }, now) {
    const { entry } = feed, said = entry?.v === true && !words?.true ? "" : formatEntry(entry, unit, words);
    const { at, isSeen } = this.#since.get(key), age = formatAge(Math.max(1000, now - at)).replace(" ago", "");
    const since = `${isSeen ? "for" : "for at least"} ${age}`;
    return h("li", { dataset: { tone } }, h("b", {}, title), h("span", {}, said),
      h("small", {}, [toneWords[tone], standing(feed, now).words || since].join(", ")));
  }
}
