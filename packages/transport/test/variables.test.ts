import { describe, expect, it } from "vitest";

import {
  effectiveTransport,
  transportVariableFaults,
  transportVariables,
} from "../src/environment/index.ts";
import { settings, variableOf } from "../src/settings.ts";

describe("variables of the transport", () => {
  it("are one for every setting and switch", () => {
    const names = transportVariables.map(({ name }) => name);
    expect(names).toEqual([
      ...Object.keys(settings).map(variableOf),
      "BRIDLE_LLM_FORCE_IPV4",
      "BRIDLE_LLM_PROXY",
    ]);
  });

  it("are told of by name when they cannot be used, and no password with them", () => {
    const faults = transportVariableFaults({
      BRIDLE_LLM_CONNECT_MS: "30s",
      BRIDLE_LLM_FORCE_IPV4: "yes",
      BRIDLE_LLM_PROXY: "socks5://me:secret@proxy:1",
    });
    expect(faults.map(({ name }) => name)).toEqual([
      "BRIDLE_LLM_CONNECT_MS",
      "BRIDLE_LLM_FORCE_IPV4",
      "BRIDLE_LLM_PROXY",
    ]);
    expect(JSON.stringify(faults)).not.toContain("secret");
    // Control: none of them set is no fault.
    expect(transportVariableFaults({})).toEqual([]);
  });

  it("are shown as they are in force, the proxy without its login", () => {
    const environment = {
      BRIDLE_LLM_CONNECT_MS: "5000",
      HTTPS_PROXY: "http://me:secret@proxy.example:3128",
    };
    expect(effectiveTransport(environment)).toMatchObject({
      connectMs: 5000,
      firstByteMs: 0,
      forceIpv4: false,
      proxy: "proxy.example:3128",
    });
    expect(effectiveTransport({})).toMatchObject({ connectMs: 30_000, proxy: "none" });
  });
});
