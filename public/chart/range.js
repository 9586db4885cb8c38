// Asks for the beginning and the end of what a chart shows.
import { h, setText } from "/lib/dom.js";

/** Local time as a field for date and time has it. */
const local = (t) => new Date(t - new Date(t).getTimezoneOffset() * 60e3).toISOString().slice(0, 19);

/** Resolves with `{ from, to }` in milliseconds, or null. */
export async function askRange({ dialogs }, title, from, to) {
  const field = (label, t) => {
    const input = h("input", { type: "datetime-local", step: 1, required: true, value: local(t) });
    return [input, h("label", { class: "field" }, label, input)];
  };
  const [[begin, first], [end, last]] = [field("From", from), field("To", to)];
  const problem = h("p", { class: "bad small", role: "alert" });
  /** The problem is the field's own, so the dialog stays open. */
  const check = () => {
    const isRight = new Date(end.value) > new Date(begin.value);
    end.setCustomValidity(isRight ? "" : "The end must be after the beginning.");
    setText(problem, end.validationMessage);
  };
  for (const input of [begin, end]) input.addEventListener("input", check);
  const answer = await dialogs.open({
    title: `Range of ${title}`, body: h("div", { class: "form-fields" }, first, last, problem),
    actions: [{ label: "Cancel", value: null }, { label: "Show", value: "yes", kind: "primary" }],
  });
  return answer === "yes" ? { from: new Date(begin.value).getTime(), to: new Date(end.value).getTime() } : null;
}
