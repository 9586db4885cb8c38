// The field of a value: the text for a value, the value of a typed text, and the next one of a
// number. Pure.
import { decode, encode } from "../client.js";

/**
 * The values to choose from, where a definition lists all of them: by `enum`, or by words for a
 * text or a whole number without other values between its bounds.
 */
export function choicesOf({ enum: all, words, type, min, max }) {
  if (all || !words) return all;
  const values = Object.keys(words).map(decode);
  if (type === "string") return values.filter((each) => typeof each === "string");
  return type === "integer" && max - min < values.length ? values.filter(Number.isInteger) : undefined;
}

export function control(node) {
  if (choicesOf(node)) return "select";
  switch (node.type) {
  case "boolean": return "switch";
  case "number": case "integer": return "number";
  case "string": return node.maxLength > 120 ? "area" : "text";
  default: return "json";
  }
}

/** All of a value, exactly. */
export function fieldText(node, value) {
  if (value === undefined) return "";
  const isText = typeof value === "string", isJSON = control(node) === "json";
  if (isText && (!isJSON || node.type === "any" && value
    && !/^\s*([[{"\d-]|true|false|null)/.test(value))) return value;
  return encode(value, isJSON ? 2 : undefined);
}

/** In words. */
export function bounds(node) {
  const { min, max, minLength, maxLength, pattern } = node;
  if (min !== undefined && max !== undefined) return `${min} to ${max}`;
  if (min !== undefined) return `at least ${min}`;
  if (max !== undefined) return `at most ${max}`;
  const what = node.type === "array" ? "elements" : "characters";
  if (minLength !== undefined && maxLength !== undefined) return `${minLength} to ${maxLength} ${what}`;
  if (maxLength !== undefined) return `at most ${maxLength} ${what}`;
  return minLength !== undefined ? `at least ${minLength} ${what}` : pattern ? `in the form ${pattern}` : "";
}

const kinds = { object: "an object", array: "a list" };
const count = (text) => [...text].length;

function number(node, text) {
  const clean = text.trim().replace(/^\+/, "").replace("−", "-").replace(/^(-?\d+),(\d+)$/, "$1.$2");
  if (!clean) return { error: "Type a number" };
  if (!/^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(clean)) return { error: "This is not a number" };
  const value = Number(clean);
  if (!Number.isFinite(value)) return { error: "This number is too large" };
  if (node.type === "integer" && !Number.isInteger(value)) return { error: "This must be a whole number" };
  if (node.min !== undefined && value < node.min) return { error: `This must be at least ${node.min}` };
  if (node.max !== undefined && value > node.max) return { error: `This must be at most ${node.max}` };
  return { value: /^-?\d+$/.test(clean) && !Number.isSafeInteger(value) ? BigInt(clean) : value };
}

function string(node, text) {
  const length = count(text);
  if (length < node.minLength) return { error: `This must have at least ${node.minLength} characters; it has ${length}` };
  if (length > node.maxLength) return { error: `This must have at most ${node.maxLength} characters; it has ${length}` };
  return { value: text };
}

function json(node, text) {
  if (!text.trim()) return { error: "Type a JSON value" };
  let value;
  try {
    value = decode(text);
  } catch (error) {
    // Text without quotes; text that looks like broken JSON is a mistake.
    if (node.type === "any" && !/^\s*[[{"]/.test(text)) return { value: text };
    return { error: `This is not valid JSON: ${error.message}` };
  }
  const isKind = node.type === "array" ? Array.isArray(value) : value !== null && typeof value === "object"
    && !Array.isArray(value);
  if (kinds[node.type] && !isKind) return { error: `This must be ${kinds[node.type]}` };
  if (node.type === "array"
    && value.length < node.minLength) return { error: `This must have at least ${node.minLength} elements` };
  if (node.type === "array"
    && value.length > node.maxLength) return { error: `This must have at most ${node.maxLength} elements` };
  return { value };
}

/** `{ value }` or `{ error }`. */
export function parseInput(node, text) {
  switch (control(node)) {
  case "number": return number(node, text);
  case "text": case "area": return string(node, text);
  default: return json(node, text);
  }
}
