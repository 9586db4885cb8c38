// The field of a value, and how the value is written in it. Pure.
import { encode } from "../client.js";

export function same(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

export function control(node) {
  if (node.enum) return "select";
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
  if (isText && (!isJSON || node.type === "any" && value && !/^\s*([[{"\d-]|true|false|null)/.test(value))) return value;
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
