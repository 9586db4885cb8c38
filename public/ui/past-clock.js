// The clock of the past: a slider over the times that are kept, a field for one of them, and play.
import { h, icon, setAttribute, setText } from "/lib/dom.js";
import { formatTime } from "/lib/format.js";
import { timeLabel, timeTicks } from "/chart/scale.js";

const speeds = [["1", "1×"], ["10", "10×"], ["60", "60×"], ["600", "600×"], ["3600", "3,600×"], ["commit", "Each commit"]];
/** How often playing asks for another moment, and how long a commit stays (ms). */
const beat = 400, stay = 800;
const playing = "M4 3l9 5-9 5z", resting = "M5 3v10M11 3v10";

/** Local time as a field for date and time has it. */
const local = (t) => new Date(t - new Date(t).getTimezoneOffset() * 60e3).toISOString().slice(0, 19);

export class Clock {
  /** The time that is shown, in milliseconds since 1970. */
  now = 0;
  #move; #timer; #from = 0; #to = 0; #isBusy = () => false;
  #slider = h("input", { type: "range", "aria-label": "Time", min: 0, max: 0, step: 1 });
  #marks = h("div", { class: "past-marks small dim", "aria-hidden": "true" });
  #field = h("input", { type: "datetime-local", step: 1, "aria-label": "Date and time" });
  #speed = h("select", { "aria-label": "Speed" }, speeds.map(([value, label]) => h("option", { value }, label)));
  #play;

  /**
   * `move({ time })` shows a time, `move({ step })` the commit so many further; `isBusy()`: the one
   * before is still on its way.
   */
  constructor(move, isBusy) {
    this.#move = move;
    this.#isBusy = isBusy;
    const button = (label, path, onclick) => h("button",
      { type: "button", class: "quiet only-icon", "aria-label": label, title: label, onclick }, icon(path));
    const user = (moment) => { this.stop(); move(moment); };
    this.#play = button("Play", playing, () => (this.#timer ? this.stop() : this.#begin()));
    // Until it is known from when to when.
    this.#play.disabled = true;
    this.#slider.addEventListener("input", () => user({ time: this.#slider.valueAsNumber }));
    this.#slider.addEventListener("keydown", (event) => {
      const moment = {
        ArrowLeft: { step: -1 }, ArrowDown: { step: -1 }, ArrowRight: { step: 1 }, ArrowUp: { step: 1 },
        Home: { step: -Infinity }, End: { step: Infinity },
      }[event.key];
      if (!moment) return;
      event.preventDefault();
      user(moment);
    });
    this.#field.addEventListener("change", () => this.#field.value && user({ time: new Date(this.#field.value).getTime() }));
    this.element = h("div", { class: "past-controls" },
      button("The commit before", "M10 3L5 8l5 5", () => user({ step: -1 })), this.#play,
      button("The next commit", "M6 3l5 5-5 5", () => user({ step: 1 })),
      h("div", { class: "past-time" }, this.#slider, this.#marks), this.#speed, this.#field);
    new ResizeObserver(() => this.#mark()).observe(this.#marks);
  }

  focus() { this.#slider.focus(); }

  /** The times that are kept. */
  keep(from, to) {
    [this.#from, this.#to] = [from, to];
    this.#play.disabled = false;
    Object.assign(this.#slider, { min: from, max: to });
    Object.assign(this.#field, { min: local(from), max: local(to + 1000) });
    // All of it in a minute.
    const fit = speeds.find(([speed]) => (to - from) / speed <= 60_000);
    if (!this.#timer) this.#speed.value = (fit ?? speeds.at(-2))[0];
    this.#mark();
    this.show(this.now);
  }

  show(time, words = "") {
    this.now = time;
    if (this.#slider.valueAsNumber !== time) this.#slider.value = time;
    if (document.activeElement !== this.#field) this.#field.value = local(time);
    setAttribute(this.#slider, "aria-valuetext", words || formatTime(time));
  }

  /** Round times below the slider. */
  #mark() {
    const [from, to] = [this.#from, this.#to], width = this.#marks.clientWidth;
    if (!(to > from) || !width) return;
    const { step, at } = timeTicks(from, to, Math.max(1, Math.floor(width / 100)));
    this.#marks.replaceChildren(...at.map((t) => {
      const label = h("span", {}, timeLabel(t, step));
      // The thumb of a slider does not reach its ends.
      label.style.left = `${8 + (t - from) / (to - from) * (width - 16)}px`;
      return label;
    }));
  }

  #begin() {
    if (this.now >= this.#to) this.#move(this.#speed.value === "commit" ? { step: -Infinity } : { time: this.#from });
    let before = performance.now();
    const next = () => {
      const isEach = this.#speed.value === "commit", now = performance.now();
      this.#timer = setTimeout(next, isEach ? stay : beat);
      if (this.#isBusy()) return void (before = now);
      if (this.now >= this.#to) return this.stop();
      this.#move(isEach ? { step: 1 } : { time: Math.min(this.#to, this.now + (now - before) * Number(this.#speed.value)) });
      before = now;
    };
    this.#timer = setTimeout(next, beat);
    this.#say("Pause", resting);
  }

  stop() {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#say("Play", playing);
  }

  #say(label, path) {
    this.#play.ariaLabel = this.#play.title = label;
    this.#play.replaceChildren(icon(path));
  }
}
