// A dashboard as text for an address, and back. Pure.
import { most, read, version } from "./layout.js";

/** A version, and base64url of JSON; null when it is too long. */
export function encode(layout) {
  const bytes = new TextEncoder().encode(JSON.stringify(layout));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const text = `${version}.${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
  return text.length <= most.url ? text : null;
}

export function decode(text) {
  const found = /^(\d{1,9})\.([A-Za-z0-9_-]*)$/.exec(text);
  if (!found) return { layout: null, problems: ["The address holds no dashboard: it was cut off or changed."] };
  if (Number(found[1]) > version) return read({ v: Number(found[1]) });
  if (text.length > most.file) return { layout: null, problems: ["The dashboard in the address is too large."] };
  try {
    const binary = atob(found[2].replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (each) => each.charCodeAt(0));
    return read(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch {
    return { layout: null, problems: ["The address holds no dashboard: it was cut off or changed."] };
  }
}
