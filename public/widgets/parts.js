// Parts shared by several widgets.
import { h, setText } from "/lib/dom.js";

/** A value on the page. Screen readers do not announce each change: they would never stop. */
export const output = (name) => h("output", { class: `${name} value`, "aria-live": "off" });

export function setEntry(element, text, entry) {
  setText(element, text);
  element.classList.toggle("fail", !!entry?.fail);
  element.classList.toggle("empty", !!entry?.empty);
}

/** Keeps the number of rows of a list. */
export function resize(list, count, make) {
  while (list.childElementCount < count) list.append(make());
  while (list.childElementCount > count) list.lastChild.remove();
}

export const isNumber = (v) => typeof v === "number" || typeof v === "bigint";
