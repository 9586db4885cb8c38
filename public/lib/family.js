// Families of nodes by their names with placeholders, `sensor.{id}.celsius`. Pure.
const placeholder = /\{\w+\}/g;

const fits = (family, name) => new RegExp(`^${family.split(placeholder).map((part) => part.replace(/[.-]/g, "\\$&")).join("[\\w-]{1,64}")}$`).test(name);

/** Of families, the one of that member, or of that name with placeholders. */
export function familyOf(families, name) {
  const plain = name.replace(placeholder, "x");
  return families.find((each) => fits(each.name, plain));
}

/** The glob that means all members of a family, or those whose first placeholder has `text` in it. */
export const globOf = (name, text = "") => name.replace(placeholder, () => [`*${text}${text && "*"}`, text = ""][0]);
