// A swipe across a row of the list of values: it switches what has two values, opens other choices,
// or opens the sheet. A press does the same.
import { setAttribute } from "/lib/dom.js";

/** How far (px) a row follows the finger, how far the finger must go, and when it is no press. */
const most = 72, enough = 56, begun = 10;

/** `[word, act]` for a row as it is now. */
function actOf(row) {
  const control = row.querySelector(".row-open, [role=switch], select");
  if (control.tagName === "BUTTON") return [control.role === "switch" ? "Switch" : "Set", () => control.click()];
  const others = [...control.options].filter(({ hidden, selected }) => !hidden && !selected);
  if (others.length === 1) return ["Switch", () => {
    others[0].selected = true;
    control.dispatchEvent(new Event("input", { bubbles: true }));
  }];
  return ["Choose", () => {
    control.focus();
    // Browsers refuse where they do not count a swipe as an act of the user.
    try { control.showPicker(); } catch { /* the focus is there */ }
  }];
}

/** The browser keeps what goes up or down (`touch-action`): it scrolls, and cancels the pointer. */
export function swipeable(row) {
  let start = null, by = 0;
  const follow = (x) => {
    by = Math.max(-most, Math.min(most, x));
    setAttribute(row, "data-swipe", by !== 0 && actOf(row)[0]);
    row.toggleAttribute("data-ready", Math.abs(by) >= enough);
    row.style.setProperty("--swipe", `${by}px`);
  };
  const end = (isDone) => {
    const isMeant = isDone && Math.abs(by) >= enough;
    start = null;
    follow(0);
    if (isMeant && !row.querySelector("select:disabled")) actOf(row)[1]();
  };
  row.classList.add("swipes");
  row.addEventListener("pointerdown", ({ isPrimary, pointerType, clientX, clientY }) => {
    start = isPrimary && pointerType !== "mouse" ? { x: clientX, y: clientY } : null;
  });
  row.addEventListener("pointermove", ({ isPrimary, clientX, clientY }) => {
    if (!start || !isPrimary) return;
    const x = clientX - start.x;
    if (by || (Math.abs(x) > begun && Math.abs(x) > 2 * Math.abs(clientY - start.y))) follow(x);
  });
  row.addEventListener("pointerup", ({ isPrimary }) => start && isPrimary && end(true));
  row.addEventListener("pointercancel", () => start && end(false));
}
