import { TransportError } from "@bridle/ports";

const loopback = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * The URL as it may be called: https anywhere, http on loopback only unless clear text is allowed, no user name inside (T1). Throws
 * `insecure_url`.
 */
export function checkUrl(text: string, allowClearText = false): URL {
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw new TransportError({
      fault: "insecure_url",
      message: `The address of ${url.host} carries a user name or password. Pass the credential as a key instead.`,
    });
  }
  const isSafe =
    url.protocol === "https:" ||
    (url.protocol === "http:" && (allowClearText || loopback.test(url.hostname)));
  if (isSafe) return url;
  throw new TransportError({
    fault: "insecure_url",
    message: `${url.protocol}//${url.host} would send the credential in clear text. Use https; http is for loopback only.`,
  });
}
