/**
 * Keeps web pages away from the API (cross-site requests, DNS rebinding).
 *
 * O1. A browser names the page's site in `Origin`; only the server's own site and configured ones may ask.
 * O2. On a loopback address only loopback names are served, so that a name of the attacker's which points to 127.0.0.1
 *     gets no answer.
 * O3. A credential in the URL is refused: URLs land in logs, histories and referrers.
 */
import { bridleError } from "@bridle/protocol";

export interface SitePolicy {
  /** Bound to a loopback address. */
  readonly isLoopback: boolean;
  /** Further host names, without port. Empty and not loopback: any. */
  readonly allowedHosts: readonly string[];
  /** Further origins, e.g. `https://ops.example.com`. */
  readonly allowedOrigins: readonly string[];
}

export interface RequestSite {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly url: string;
}

const loopbackNames = new Set(["localhost", "127.0.0.1", "[::1]"]);
const credentialNames = [
  "token",
  "access_token",
  "api_key",
  "apikey",
  "apiKey",
  "key",
  "authorization",
];

/** Throws `forbidden` with the reason. */
export function refuseForeignRequest(request: RequestSite, policy: SitePolicy): void {
  if (!isServedHost(request.host, policy)) {
    throw refusal(`This server does not answer for the host "${request.host ?? ""}".`);
  }
  if (!isOwnOrigin(request, policy)) {
    throw refusal(`Requests from the site "${request.origin ?? ""}" are not allowed.`);
  }
  const query = new URLSearchParams(request.url.split("?")[1] ?? "");
  const leaked = credentialNames.find((name) => query.has(name));
  if (leaked !== undefined) {
    throw refusal(`Send the key as "Authorization: Bearer …", not as "${leaked}" in the URL.`);
  }
}

function refusal(message: string): Error {
  return bridleError("forbidden", { message });
}

/** The name without its port; `[::1]:80` keeps its brackets. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, "").toLowerCase();
}

function isServedHost(host: string | undefined, policy: SitePolicy): boolean {
  if (host === undefined) return false;
  const name = nameOf(host);
  if (policy.allowedHosts.includes(name)) return true;
  if (policy.isLoopback) return loopbackNames.has(name);
  return policy.allowedHosts.length === 0;
}

function isOwnOrigin({ origin, host, fetchSite }: RequestSite, policy: SitePolicy): boolean {
  if (origin === undefined) return fetchSite === undefined || fetchSite !== "cross-site";
  if (policy.allowedOrigins.includes(origin)) return true;
  return origin === `http://${host ?? ""}` || origin === `https://${host ?? ""}`;
}
