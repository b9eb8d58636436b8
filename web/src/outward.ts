// Bounds for people to read: rounded away from what they bound, so that what is shown still holds.

/** At least the value, with this number of significant digits. */
export function roundedUp(value: number, digits: number): string {
  if (!(value > 0)) return String(value);
  const step = 10 ** (Math.floor(Math.log10(value)) - digits + 1);
  const slack = 1e-9; // 0.3 stays 0.3
  return (Math.ceil(value / step - slack) * step).toPrecision(digits);
}
