// Asks before a node is set whose definition has `confirm: true`.
import { h, setText, styled } from "/lib/dom.js";
import { formatEntry } from "/lib/format.js";
import { open } from "./dialogs.js";

/** How long (s) the question stands on a wall, and how soon (ms) it can be answered with yes. */
const patience = 10, guard = 500;

/**
 * True if `node` is to be set from `entry()`, which may change meanwhile, to `next`. The end of
 * `signal` is a no, and on a wall so is silence.
 */
export async function ask(node, entry, next, signal) {
  const words = (each) => formatEntry(each, node.unit, node.words), title = node.title || node.name;
  const isTouch = document.documentElement.dataset.kiosk === "touch", until = Date.now() + 1000 * patience;
  const from = h("b"), left = h("p", { class: "dim" });
  const unseen = (text) => h("span", { class: "unseen" }, text);
  const body = h("div", {}, h("p", { class: "from-to" }, unseen("from "), from,
    h("span", { "aria-hidden": "true" }, " → "), unseen(" to "), h("b", {}, words(next))), left);
  const close = () => body.closest("dialog")?.close();
  const tell = () => {
    setText(from, words(entry()));
    if (!isTouch) return;
    const seconds = Math.ceil((until - Date.now()) / 1000);
    setText(left, `Closes in ${seconds} s without setting anything.`);
    if (seconds <= 0) close();
  };
  tell();
  await styled();
  if (signal.aborted) return false;
  const answer = open({ title: `Set ${title}?`, body,
    actions: [{ label: "Cancel", value: null }, { label: "Set", value: true, kind: "primary" }] });
  signal.addEventListener("abort", close);
  const timer = setInterval(tell, 250), yes = body.closest("dialog")?.querySelector(".primary");
  // The second tap of two may not be the answer.
  if (isTouch && yes) {
    yes.disabled = true;
    setTimeout(() => (yes.disabled = false), guard);
  }
  const isYes = await answer === true;
  clearInterval(timer);
  signal.removeEventListener("abort", close);
  return isYes;
}
