// The time under somebody's pointer, shared by all charts of a page. Pure.

export class Cursor extends EventTarget {
  /** Milliseconds since 1970, or null. */
  t = null;

  move(t) {
    if (t === this.t) return;
    this.t = t;
    this.dispatchEvent(new Event("move"));
  }
}
