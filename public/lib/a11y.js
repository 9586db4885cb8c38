// What is said to those who do not see it: polite words are collected and said at most once in five seconds.

const pause = 5000;

export class Announcer {
  #polite; #assertive; #waiting = []; #timer = null;

  /** Two live regions that are in the page from the beginning; one made later is not heard at first. */
  constructor(polite, assertive) {
    this.#polite = polite;
    this.#assertive = assertive;
  }

  /** Says `text`: at once and over everything else only when it is about a rejected input. */
  announce(text, { assertive = false } = {}) {
    if (assertive) {
      this.#assertive.textContent = "";
      this.#assertive.textContent = text;
      return;
    }
    if (this.#waiting.at(-1) !== text) this.#waiting.push(text);
    if (this.#timer === null) this.#flush();
  }

  #flush() {
    const count = this.#waiting.length;
    if (!count) return void (this.#timer = null);
    const said = this.#waiting.slice(0, 3).join(". ");
    this.#polite.textContent = count > 3 ? `${said}. And ${count - 3} more` : said;
    this.#waiting = [];
    this.#timer = setTimeout(() => this.#flush(), pause);
  }
}
