// The dialog of a widget: its kind, what it shows, and an expression that is checked before
// anything is added.
import { decode } from "/client.js";
import { h, setText, style } from "/lib/dom.js";
import { formatEntry, formatValue, plainWords } from "/lib/format.js";
import { choicesOf } from "/lib/input.js";
import { place } from "/dash/compose.js";
import { columns, most, read, version } from "/dash/layout.js";
import { Picker } from "/dash/picker.js";
import { globOf } from "/graph/glob.js";
import { kinds, loadKind } from "/widgets/index.js";
import { partsOf, range } from "/widgets/tone.js";

style("/dash/forms.css");

/** The options of widgets: label, hint, and `number`, `text`, `area` or `check`. */
const options = {
  pipe: ["Expression", "The server runs it for this widget, for instance round(value * 9 / 5 + 32, 1)", "text"],
  unit: ["Unit", "Empty: as the node says", "text"],
  span: ["Seconds shown", "", "number"],
  min: ["Smallest", "Empty: as the node says, or as values are", "number"],
  max: ["Largest", "Empty: as the node says, or as values are", "number"],
  ok: ["Good", "A value, several with commas, or a range such as 18..24. Everything else is an alarm.", "text"],
  warn: ["Warn from", "A number", "number"],
  bad: ["Alarm", "A number from which it is an alarm, or a state that is one", "text"],
  text: ["Text", "Shown where no node is chosen", "area"],
  slider: ["With a slider", "Where the node has bounds", "check"],
};

let count = 0;

/** A label, its control and a hint. */
export function field(label, hint, input, ...more) {
  const id = (input.id ||= `field-${++count}`);
  const note = hint && h("span", { class: "small dim", id: `${id}-hint` }, hint);
  if (note) input.setAttribute("aria-describedby", note.id);
  return h("div", { class: "field" }, h("label", { for: id }, label), more.length ? more : input, note);
}

/** A pipe of one map is shown as its expression; others as JSON. */
function expression(pipe) {
  if (!pipe) return "";
  return pipe.length === 1 && typeof pipe[0]?.map === "string" ? pipe[0].map : JSON.stringify(pipe);
}

/** The stages in a text of JSON; any other text is an expression. */
function stages(text) {
  try {
    const pipe = JSON.parse(text);
    const isStage = (each) => typeof each === "string" || each?.constructor === Object;
    if (Array.isArray(pipe) && pipe.length && pipe.every(isStage)) return pipe;
  } catch { /* an expression */ }
  return [{ map: text }];
}

const isFigure = ({ type }) => /^(number|integer)$/.test(type);
const choicesFor = (node) => (node.type === "boolean" ? [true, false] : choicesOf(node));

/** States as people call them, as values: "closed" is `false`. */
function statesOf(text, { type, words }) {
  const known = Object.entries({ ...(type === "boolean" && plainWords), ...words });
  return text.split(",").map((each) => {
    const [key] = known.find(([, word]) => word.toLowerCase() === each.trim().toLowerCase()) ?? [];
    return key === undefined ? each.trim() : String(decode(key));
  }).join(", ");
}

/** Whether an option says something that a number can match. */
const isNumeric = (wanted) => partsOf(wanted).every((each) => {
  const found = range.exec(each);
  return found ? Number(found[1]) <= Number(found[2]) : each !== "" && Number.isFinite(Number(each));
});

/** Why an option of a widget for this node cannot be right, in words. */
function problemOf(name, widget, node) {
  const { span, min, max, bad } = widget, [label] = options[name];
  if (name === "span" && !(span >= 10 && span <= 31_622_400)) return "Seconds shown: from 10 to 31622400 (366 days).";
  if (name === "max" && max <= min) return `Largest must be more than Smallest, which is ${min}.`;
  if (name !== "ok" && name !== "bad") return "";
  if (isFigure(node)) {
    if (name === "bad" ? Number.isFinite(bad) : isNumeric(widget.ok)) return "";
    return `${label}: the node holds numbers, so write a number${name === "ok" ? ", or a range such as 18..24" : ""}.`;
  }
  const choices = choicesFor(node)?.map(String), parts = String(widget[name]).split(", ");
  if (!choices || parts.every((each) => choices.includes(each))) return "";
  return `${label}: the node holds one of ${choicesFor(node).map((each) => formatValue(each, "", node.words)).join(", ")}.`;
}

const patience = 3000;

/**
 * Asks the server to build a pipe: returns `{ entry }` with its present value, or `{ problem, at }`
 * if it is invalid, `at` being the position in the expression. Returns neither without an answer in
 * time.
 */
function check(client, target, pipe) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patience, {});
    const watch = client.watch(target, null, (value, { ended, fail, empty }) => {
      clearTimeout(timer);
      // It may answer before `watch` has returned.
      queueMicrotask(() => watch.close());
      if (ended) return resolve(explained(ended, pipe));
      if (/^expr_(type|syntax)$/.test(fail?.code)) {
        return resolve({ problem: fail.msg ?? fail.code, at: Number(/:(\d+)$/.exec(fail.at ?? "")?.[1] ?? 0) });
      }
      resolve({ entry: fail ? { fail } : empty ? { empty } : { v: value } });
    }, { pipe });
  });
}

/**
 * The problem of a refused pipe. Its position counts in the JSON; the expression begins inside of
 * that.
 */
function explained({ code, msg, problems }, pipe) {
  const [{ message = msg ?? code, hint, column } = {}] = problems ?? [], [first] = pipe;
  const begin = pipe.length === 1 && first?.map ? JSON.stringify(pipe).indexOf(JSON.stringify(first.map)) + 1 : 0;
  return { problem: hint ? `${message} (${hint})` : message, at: column ? Math.max(0, column - 1 - begin) : 0 };
}

class WidgetForm {
  #board; #data; #modules; #inputs = {}; #picker; #timer; #checked = 0;
  #kind = h("select"); #graph = h("select"); #title; #fields = h("div", { class: "form-fields in-two" });
  problem = h("p", { class: "bad small", role: "alert" });
  #result = h("p", { class: "small", role: "status" });

  constructor(board, data, modules) {
    this.#board = board;
    this.#data = data;
    this.#modules = modules;
    const own = data?.graph ?? board.graph, graphs = board.page.store.get("graphs") ?? [];
    this.#title = h("input", { value: data?.title ?? "", maxlength: most.title, placeholder: "As the node says" });
    const choice = (value, label, own) => h("option", { value, selected: value === own }, label);
    this.#kind.append(...modules.map(({ kind, label }) => choice(kind, label, data?.kind ?? "number")));
    const names = new Map([[own, own], ...graphs.map(({ graph, title }) => [graph, title || graph])]);
    this.#graph.append(...[...names].map(([name, title]) => choice(name, title, own)));
    this.#kind.addEventListener("change", () => this.#show());
    this.#graph.addEventListener("change", () => this.#show());
    this.body = h("div", { class: "in-dash" }, h("div", { class: "form-fields" },
      field("Kind", "", this.#kind), field("Title", "", this.#title),
      names.size > 1 && field("Graph", "", this.#graph), this.#fields, this.problem));
    this.#show();
  }

  get #module() { return this.#modules.find(({ kind }) => kind === this.#kind.value); }
  get #isMany() { return /several|all/.test(this.#module.source); }

  /** The choices: nodes, families as globs, and earlier choices, which may be gone by now. */
  #offered() {
    const { observed } = this.#board.source(this.#graph.value), isMutable = this.#module.source === "mutable";
    const nodes = [...(observed.nodes?.values() ?? [])].sort((a, b) => a.name.localeCompare(b.name));
    const families = observed.families.map(({ name, kind, members = 0 }) =>
      ({ name: globOf(name), kind, hint: `a family, ${members} now` }));
    return [...(this.#isMany ? families : []), ...nodes].filter(({ kind }) => !isMutable || kind === "mutable");
  }

  #show() {
    const { source } = this.#module, { nodes, node } = this.#data ?? {};
    const before = this.#picker?.names ?? nodes ?? (node ? [node] : []);
    const isMany = this.#isMany, mostNodes = source === "all" || this.#module.most ? most.tableNodes : most.nodes;
    this.#fields.replaceChildren();
    this.#picker = new Picker({
      all: this.#offered(), names: isMany ? before : before.slice(0, 1), isMany, most: mostNodes,
      onchange: () => this.#later(),
    });
    if (source !== "none") {
      const hint = isMany ? `Up to ${mostNodes}` : source === "maybe" ? "Empty for fixed words" : "";
      this.#fields.append(field(isMany ? "Nodes" : "Node", hint, this.#picker.input, this.#picker.element));
    }
    for (const name of this.#module.options) {
      const [label, hint, type] = options[name], old = this.#data?.[name];
      const input = type === "check" ? h("input", { type: "checkbox" })
        : type === "area" ? h("textarea", { rows: 3, maxlength: most.text })
        : h("input", type === "number" ? { type: "number", step: "any", inputmode: "decimal" } : { maxlength: 1000 });
      if (type === "check") input.checked = old ?? false;
      else input.value = this.#inputs[name]?.value ?? (name === "pipe" ? expression(old) : old ?? "");
      if (name === "pipe") {
        input.classList.add("mono");
        input.spellcheck = false;
        input.addEventListener("input", () => this.#later());
      }
      this.#inputs[name] = input;
      const row = field(label, hint, input);
      row.classList.toggle("short", !/pipe|area/.test(`${name} ${type}`));
      if (name === "pipe") row.append(this.#result);
      this.#fields.append(row);
    }
  }

  /** Half a second after the last key the expression is tried on the present value. */
  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), 500);
  }

  /**
   * Whether the expression is valid; the problem is shown below the field, with the cursor at its
   * place.
   */
  async #check(isFinal = false) {
    clearTimeout(this.#timer);
    const number = ++this.#checked, { pipe: input } = this.#inputs, text = input?.value.trim();
    const { client } = this.#board.page, [node] = this.#picker.names, isLive = this.#board.connection.name === "live";
    // Parts that the user has not touched stay as they are.
    const isTouched = text && text !== expression(this.#data?.pipe) && this.#module.options.includes("pipe");
    const isAsked = isLive && isTouched && node && !/[*?]/.test(node);
    const { entry, problem, at } = isAsked
      ? await check(client, { graph: this.#graph.value, node }, this.#pipe(text)) : {};
    if (number !== this.#checked) return true;
    input?.setAttribute("aria-invalid", !!problem);
    this.#result.className = problem ? "small bad" : "small dim";
    const caret = problem && at > 0 ? `${" ".repeat(Math.min(at, 200))}^` : "";
    const words = problem ?? (entry ? `Now: ${formatEntry(entry)}` : "");
    this.#result.replaceChildren(words, ...(caret ? [h("code", { class: "caret" }, `${text}\n${caret}`)] : []));
    if (problem && isFinal) {
      input.focus();
      input.setSelectionRange(at, Math.min(text.length, at + 1));
    }
    return !problem;
  }

  #pipe(text) { return text === expression(this.#data?.pipe) ? this.#data.pipe : stages(text); }

  /** The widget's data, once it is valid; null after showing the problem. */
  async read() {
    const { kind, source, size: [w, height], options: asked } = this.#module;
    const data = this.#data, { names, input: chosen } = this.#picker;
    setText(this.problem, "");
    if (source !== "none" && source !== "maybe" && !names.length) return this.#refuse("Choose a node.", chosen);
    const known = this.#offered(), isThere = (name) => /[*?]/.test(name) || known.some((each) => each.name === name);
    const gone = names.find((name) => !isThere(name));
    const isOld = gone && [data?.node, ...(data?.nodes ?? [])].includes(gone);
    if (gone && known.length && !isOld && source !== "none") {
      return this.#refuse(source === "mutable" ? `${gone} cannot be set.` : `There is no node ${gone}.`, chosen);
    }
    const next = { kind, w: data?.w ?? w, h: data?.h ?? height };
    const taken = this.#board.widgets.map((each) => each.data);
    Object.assign(next, data ? { x: data.x, y: data.y } : place(taken, Math.min(w, columns), height));
    if (this.#graph.value !== this.#board.graph) next.graph = this.#graph.value;
    if (this.#title.value.trim()) next.title = this.#title.value.trim();
    if (this.#isMany) next.nodes = names;
    else if (source !== "none" && names[0]) next.node = names[0];
    const isPiped = asked.includes("pipe") && this.#inputs.pipe.value.trim();
    const held = (!isPiped && this.#board.source(this.#graph.value).facts(names[0])) || {};
    for (const name of asked) {
      const input = this.#inputs[name], [, , type] = options[name];
      const value = type === "check" ? input.checked : input.value.trim();
      if (value === "" || value === false) continue;
      const isNumber = type === "number" || (name === "bad" && value !== "" && Number.isFinite(Number(value)));
      next[name] = name === "pipe" ? this.#pipe(value) : isNumber ? Number(value)
        : name === "ok" || name === "bad" ? statesOf(value, held) : value;
      const wrong = problemOf(name, next, held);
      if (wrong) return this.#refuse(wrong, input);
    }
    if (!await this.#check(true)) return null;
    const { layout, problems } = read({ v: version, widgets: [{ ...next, x: 0, y: 0 }] });
    if (layout.widgets.length) return next;
    return this.#refuse(problems[0]);
  }

  #refuse(text, input) {
    setText(this.problem, text);
    input?.focus();
    return null;
  }
}

/**
 * Asks for a widget: a new one, or what is to become of `data`. Resolves with its data, or null.
 */
export async function askWidget(board, data = null) {
  const modules = await Promise.all(kinds.map(loadKind)), form = new WidgetForm(board, data, modules);
  let answer = null;
  const chosen = await board.page.dialogs.open({
    title: data ? "Edit widget" : "Add widget", body: form.body, sheet: true,
    actions: [{ label: "Cancel", value: null }, { label: data ? "Save" : "Add", value: "yes", kind: "primary" }],
    check: async () => {
      answer = await form.read().catch(({ message }) => void setText(form.problem, message));
      return !!answer;
    },
  });
  return chosen && answer;
}
