// What somebody typed, as a value, or a sentence that says why it is none; the server decides. Pure.
import { decode } from "../client.js";
import { control } from "./input.js";

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
    // A text without quotes; what looks like broken JSON is rather a mistake.
    if (node.type === "any" && !/^\s*[[{"]/.test(text)) return { value: text };
    return { error: `This is not valid JSON: ${error.message}` };
  }
  const isKind = node.type === "array" ? Array.isArray(value) : value !== null && typeof value === "object" && !Array.isArray(value);
  if (kinds[node.type] && !isKind) return { error: `This must be ${kinds[node.type]}` };
  if (node.type === "array" && value.length < node.minLength) return { error: `This must have at least ${node.minLength} elements` };
  if (node.type === "array" && value.length > node.maxLength) return { error: `This must have at most ${node.maxLength} elements` };
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
