/**
 * The glob that means all members of a family, or those whose first placeholder has `text` in it.
 */
export const globOf = (name, text = "") => name.replace(/\{\w+\}/g, () => [`*${text}${text && "*"}`, text = ""][0]);
