// What the symbols and lines of the picture mean.
import { h, svg } from "/lib/dom.js";
import { asleepWords, kinds } from "/lib/words.js";
import { marks } from "./shapes.js";

const lines = [["flow", "a value flows"], ["feedback", "it flows back"], ["declared", "it will flow when somebody listens"],
  ["listen", "a client listens, or links two nodes: shown at what is selected or pointed at"]];
const others = [["raised", "calls for attention: an alarm, a warning, or failed"], ["cluster", "group of nodes whose names begin alike"]];

const small = (name, ...children) => svg("svg", { class: `legend-mark ${name}`, viewBox: "0 0 34 18", width: 34, height: 18,
  "aria-hidden": "true" }, children);
const symbol = (kind) => small("node " + kind, svg("path", { class: "mark", d: marks[kind] ?? marks.derived,
  transform: "translate(9,1)" }));

/** Opens and closes it; the technical terms stand in brackets. */
export function attach(page) {
  const entries = [
    ...Object.entries(kinds).map(([kind, words]) => [symbol(kind), words === kind ? words : `${words} (${kind})`]),
    [small("node asleep", svg("rect", { class: "box", x: 2, y: 2, width: 30, height: 14, rx: 4 })), `${asleepWords} (asleep)`],
    ...others.map(([kind, words]) => [symbol(kind), words]),
    ...lines.map(([look, words]) => [small("", svg("path", { class: "edge", "data-look": look, d: "M1 9H33" })), words]),
    [small("node busy", svg("rect", { class: "meter", x: 2, y: 8, width: 30, height: 3, rx: 1.5 })), "more than two updates a second"],
  ];
  const element = h("div", { class: "legend", popover: "auto", role: "dialog", "aria-label": "Legend" }, h("h2", {}, "Legend"),
    h("dl", {}, entries.map(([mark, words]) => h("div", {}, h("dt", {}, mark), h("dd", {}, words)))));
  page.stage.append(element);
  return element;
}
