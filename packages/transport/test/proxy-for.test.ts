import { describe, expect, it } from "vitest";

import { proxyFor } from "../src/proxy-for.ts";

const target = new URL("https://api.example.com/v1");
const HTTPS_PROXY = "http://proxy.example:3128";

describe("a proxy", () => {
  it.each([
    ["none is set", {}, undefined],
    ["one is set for https", { HTTPS_PROXY }, "proxy.example:3128"],
    ["one is set in lower case, which wins", { HTTPS_PROXY, https_proxy: "http://b:1" }, "b:1"],
    ["one is set for http only", { HTTP_PROXY: HTTPS_PROXY }, undefined],
    ["it is empty", { HTTPS_PROXY: "" }, undefined],
    ["the host is excepted", { HTTPS_PROXY, NO_PROXY: "api.example.com" }, undefined],
    ["a parent is excepted", { HTTPS_PROXY, NO_PROXY: "a.b, example.com" }, undefined],
    ["a parent is excepted with a dot", { HTTPS_PROXY, NO_PROXY: ".example.com" }, undefined],
    ["a parent is excepted with a star", { HTTPS_PROXY, NO_PROXY: "*.example.com" }, undefined],
    ["all is excepted", { HTTPS_PROXY, NO_PROXY: "*" }, undefined],
    ["the port is excepted", { HTTPS_PROXY, NO_PROXY: "example.com:443" }, undefined],
    ["another port is", { HTTPS_PROXY, NO_PROXY: "example.com:8443" }, "proxy.example:3128"],
    ["a name that only ends alike is", { HTTPS_PROXY, NO_PROXY: "ple.com" }, "proxy.example:3128"],
  ])("where %s", (_words, environment, host) => {
    expect(proxyFor(target, { environment })?.host).toBe(host);
  });

  it("that is named wins over the environment and its exceptions, and `none` over both", () => {
    const environment = { HTTPS_PROXY, NO_PROXY: "*" };
    expect(proxyFor(target, { proxy: "http://mine:1", environment })?.host).toBe("mine:1");
    expect(proxyFor(target, { proxy: "none", environment: { HTTPS_PROXY } })).toBeUndefined();
  });

  it("of the environment is never asked for loopback", () => {
    const environment = { HTTPS_PROXY, HTTP_PROXY: HTTPS_PROXY };
    for (const address of ["http://127.0.0.1:1/", "https://localhost/", "http://[::1]/"]) {
      expect(proxyFor(new URL(address), { environment })).toBeUndefined();
    }
    // The control: elsewhere it is.
    expect(proxyFor(new URL("http://ops.example/"), { environment })).toBeDefined();
  });

  it.each(["socks5://user:secret@p:1", "p:3128", "nonsense"])(
    "%s is refused, without its password",
    (proxy) => {
      const ask = (): unknown => proxyFor(target, { proxy, environment: {} });
      expect(ask).toThrow("SOCKS is not");
      expect(ask).not.toThrow("secret");
    },
  );
});
