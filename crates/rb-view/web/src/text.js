// Numbers as text.

/** Three significant digits; powers of ten where they are shorter. */
export function significant(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e-3 || size >= 1e6) return value.toExponential(1);
  return Number.isInteger(value) ? String(value) : value.toPrecision(size >= 100 ? 4 : 3);
}

/** Components of a vector, aligned. */
export function vector(components) {
  return Array.from(components, (c) => (Object.is(c, -0) ? 0 : c).toFixed(3).padStart(8)).join("");
}
