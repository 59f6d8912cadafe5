const fractionDigits = 9;
const decimal = /^(\d{1,7})(?:\.(\d{1,9}))?$/;

/** Nano-USD of a decimal amount of dollars; undefined when it is none, or finer than a billionth. */
export function parseUsd(usd: string | number): number | undefined {
  const text = typeof usd === "number" ? plainDecimal(usd) : usd;
  const [, whole, fraction = ""] = decimal.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return Number(whole + fraction.padEnd(fractionDigits, "0"));
}

/** Of a number in a configuration file its decimal is meant, never its binary value: 0.1 is one tenth. */
function plainDecimal(value: number): string {
  const shortest = String(value);
  const [, first, rest = "", zeros] = /^(\d)(?:\.(\d+))?e-(\d+)$/.exec(shortest) ?? [];
  if (first === undefined) return shortest;
  return `0.${"0".repeat(Number(zeros) - 1)}${first}${rest}`;
}
