// Values as JSON, their types, and errors.

/** A refusal: `code` is for programs, `message` for people. */
export class SluiceError extends Error {
  name = "SluiceError";

  constructor({ msg, ...fields }) {
    super(msg ?? fields.code);
    Object.assign(this, fields);
  }
}

export const unsendable = (value) =>
  new SluiceError({ code: "type_mismatch", msg: `${String(value)} cannot be sent` });

/** JSON with every digit of long integers. Throws for what JSON cannot express, such as NaN. */
export function encode(value, space) {
  return JSON.stringify(value, exactDigits, space);
}

function exactDigits(_, value) {
  const size = typeof value === "number" ? Math.abs(value) : 0;
  if (!isFinite(size)) throw unsendable(value);
  // Numbers beyond 2^53 are rounded in JSON.
  const isLong = typeof value === "bigint" || (size > 2 ** 53 && size < 1e19);
  if (!isLong) return value;
  if (JSON.rawJSON) return JSON.rawJSON(BigInt(value));
  // Older engines send what a number holds.
  if (Number(value) != value) throw unsendable(value);
  return Number(value);
}

/** Reads it: an integer that no number holds exactly becomes a BigInt. */
export function decode(text) {
  // A reviver is slow: it is for where such an integer may be.
  return JSON.parse(text, /\d{16}/.test(text) ? (_, value, { source } = {}) => {
    // Engines that do not pass the source give the nearest number.
    const isLong = /^-?\d{16,}$/.test(source);
    return isLong && BigInt(source) != value ? BigInt(source) : value;
  } : undefined);
}

export function typed(type, value) {
  if (!type) return value;
  if (![Number, String, Boolean, BigInt].includes(type)) return type(value);
  if (value?.constructor === type) return value;
  if (type === BigInt && Number.isInteger(value)) return BigInt(value);
  throw new TypeError(`expected ${type.name}, got ${value && typeof value}`);
}
