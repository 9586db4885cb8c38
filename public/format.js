// Values as people read them: bytes in binary multiples, everything else as it is.

const steps = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

export function format(value, unit = "") {
  if (typeof value === "number" && (unit === "B" || unit === "B/s")) {
    let step = 0, amount = value;
    while (Math.abs(amount) >= 1024 && step < steps.length - 1) { amount /= 1024; step++; }
    return `${step ? amount.toFixed(1) : amount} ${steps[step]}${unit}`;
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return unit ? `${text} ${unit}` : text;
}
