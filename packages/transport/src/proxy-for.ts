import { isLoopback } from "./check-url.ts";
import type { Environment } from "./settings.ts";
import { TransportFailure } from "./transport-failure.ts";

export interface ProxyOptions {
  /** The proxy of every call, or `"none"`. Default: what the environment says. */
  readonly proxy?: string | undefined;
  readonly environment: Environment;
}

/**
 * The proxy a URL is reached through: the one that was named, else `HTTPS_PROXY` or `HTTP_PROXY` unless `NO_PROXY` excepts it. The
 * environment never sends loopback through a proxy: nobody else's loopback is meant. Throws `invalid_setting`.
 */
export function proxyFor(url: URL, { proxy, environment }: ProxyOptions): URL | undefined {
  if (proxy === "none") return undefined;
  if (proxy !== undefined && proxy !== "") return parseProxy("proxy", proxy);
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = lookUp(environment, name);
  if (value === "" || isLoopback(url) || isExcepted(url, lookUp(environment, "NO_PROXY"))) {
    return undefined;
  }
  return parseProxy(name, value);
}

/** Lower case wins, as with curl. */
function lookUp(environment: Environment, name: string): string {
  return (environment[name.toLowerCase()] ?? environment[name] ?? "").trim();
}

/** Names match themselves and what lies under them; `*` matches all; a port narrows. Address ranges are not understood. */
function isExcepted(url: URL, list: string): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return list.split(/[\s,]+/).some((entry) => {
    const [, pattern = "", onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (pattern === "*") return true;
    const name = pattern.replace(/^\*?\./, "");
    if (name === "" || (onlyPort !== undefined && onlyPort !== port)) return false;
    return url.hostname === name || url.hostname.endsWith(`.${name}`);
  });
}

function parseProxy(name: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  // The value may hold a password.
  throw new TransportFailure({
    code: "invalid_setting",
    message: `${name} must be an address such as http://proxy.example:3128; http and https proxies are understood, SOCKS is not.`,
  });
}
