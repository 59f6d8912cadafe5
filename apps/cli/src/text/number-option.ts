import { bridleError } from "@bridle/protocol";

export function numberOption(
  name: string,
  text: string | undefined,
  form: RegExp,
): number | undefined {
  if (text === undefined) return undefined;
  const value = form.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw bridleError("request_invalid", {
    message: `${name} ${text}: expected how much to add, above 0${name === "--usd" ? ", e.g. 2.50" : ""}.`,
  });
}
