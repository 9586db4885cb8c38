// The kinds of widgets: `/widgets/KIND.js` has each. A new one needs its file, its test and its
// name here.
import { load } from "../lib/dom.js";

export const kinds = [
  "number", "sparkline", "series", "gauge", "lamp", "editor", "text", "table", "log", "people", "clients",
];

/**
 * Loads a kind. Its module exports as `default`:
 * - `kind`, `label`: its name in files, and in words;
 * - `size`: how many columns and rows a new one has;
 * - `options`: what the dialog asks for besides title and node, see `options` in `/dash/forms.js`;
 * - `source`: which nodes it shows: "one" (the default), "mutable" (one that can be set), "maybe"
 *   (one or none), "several", "all" (whatever globs match, as members come and go) or "none";
 * - `most`: how many nodes it shows at most (6); `past`: how many values it looks back on (1024);
 * - `make(widget, context)`: the picture, `{ element, draw, ages, show, mark, table, close }`, of
 *   which only `element` is required. `draw` runs in the frame loop after values have arrived, and
 *   each second if it `ages`. The tile around the picture is `context.tile`.
 */
export const loadKind = async (kind) => (await load(`/widgets/${kind}.js`)).default;

export const isKnown = (kind) => kinds.includes(kind);
