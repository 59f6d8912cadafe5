import { TransportError } from "@bridle/ports";

import { TransportFailure } from "./transport-failure.ts";

const loopback = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export function isLoopback(url: URL): boolean {
  return loopback.test(url.hostname);
}

/**
 * The URL as it may be called: https anywhere, http on loopback only unless clear text is allowed, no user name inside (T1). Throws
 * `insecure_url`, and `invalid_url` for what is no address.
 */
export function checkUrl(text: string, allowClearText = false): URL {
  if (!URL.canParse(text)) {
    throw new TransportFailure({
      code: "invalid_url",
      message:
        "The address of the call cannot be read. Set the base URL to a whole one, such as https://api.example.com/v1.",
    });
  }
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw new TransportError({
      fault: "insecure_url",
      message: `The address of ${url.host} carries a user name or password. Pass the credential as a key instead.`,
    });
  }
  const isSafe =
    url.protocol === "https:" || (url.protocol === "http:" && (allowClearText || isLoopback(url)));
  if (isSafe) return url;
  throw new TransportError({
    fault: "insecure_url",
    message: `${url.protocol}//${url.host} would send the credential in clear text. Use https; http is for loopback only.`,
  });
}
