import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { defineAgent, env } from "@bridle/agent";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { checkConfig, loadConfig } from "../src/index.ts";

const agent = defineAgent({ name: "hello", module: import.meta.url, run: () => ({}) });
const provider = {
  kind: "openai-compatible",
  baseUrl: "https://api.example.com/v1",
  profiles: [{ apiKey: env("KEY") }],
};

function faultsOf(value: unknown): string {
  try {
    checkConfig(value, "bridle.config.ts");
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("checking a configuration", () => {
  it("takes what the documentation shows", () => {
    const config = checkConfig(
      {
        providers: { openai: provider },
        models: {
          smart: { chain: ["openai/gpt-x"], cheaper: "small" },
          small: { chain: ["openai/mini"] },
        },
        agents: [agent],
      },
      "bridle.config.ts",
    );
    expect(config.agents).toEqual([agent]);
    expect(config.liveness).toMatchObject({ workerLeaseMs: 8000, selfFenceMs: 6000 });
  });

  it("keeps env() a reference: the value is not in the loaded configuration", () => {
    const config = checkConfig({ providers: { openai: provider } }, "x");
    expect(config.providers["openai"]?.profiles[0]?.apiKey).toEqual({
      kind: "bridle.env",
      name: "KEY",
    });
  });

  it("points at names with slashes and dots in them (RFC 6901)", () => {
    const check = () =>
      checkConfig({ prices: { "openai/gpt-5.1": { inputUsdPerMillion: -1 } } }, "x");
    expect(check).toThrow(
      expect.objectContaining({
        details: {
          issues: [
            expect.objectContaining({ pointer: "/prices/openai~1gpt-5.1/inputUsdPerMillion" }),
            expect.objectContaining({ pointer: "/prices/openai~1gpt-5.1/outputUsdPerMillion" }),
          ],
        },
      }),
    );
  });

  it("lists every fault with its key", () => {
    const faults = faultsOf({
      providers: { openai: { ...provider, profiles: [] } },
      models: { smart: { chain: ["nothing"] } },
      limits: { maxStepsPerTask: 0 },
      guards: { breaker: { failureRateThreshold: 2 } },
    });
    for (const key of [
      "providers.openai.profiles",
      "models.smart.chain.0",
      "limits.maxStepsPerTask",
      "guards.breaker.failureRateThreshold",
    ]) {
      expect(faults).toContain(key);
    }
    expect(faults).toMatch(/^bridle\.config\.ts has 4 errors:/);
  });

  const suggestions: readonly [string, unknown, string][] = [
    ["at the top", { agent: [] }, 'Did you mean "agents"?'],
    [
      "inside a guard",
      { guards: { breaker: { windowSizeMS: 1 } } },
      'Did you mean "windowSizeMs"?',
    ],
    [
      "inside a provider",
      { providers: { a: { ...provider, baseURL: "x" } } },
      'Did you mean "baseUrl"?',
    ],
    [
      "in a model's chain",
      { providers: { openai: provider }, models: { m: { chain: ["opnai/x"] } } },
      'Did you mean "openai"?',
    ],
    [
      "in a cheaper model",
      {
        providers: { openai: provider },
        models: { small: { chain: ["openai/x"], cheaper: "smal" } },
      },
      'Did you mean "small"?',
    ],
  ];
  it.each(suggestions)("asks what was meant by a wrong name %s", (_place, value, suggestion) => {
    expect(faultsOf(value)).toContain(suggestion);
  });

  it("refuses a model that stands in for itself", () => {
    const models = { small: { chain: ["openai/x"], cheaper: "small" } };
    expect(faultsOf({ providers: { openai: provider }, models })).toContain("cannot stand in");
  });

  it("refuses a model that an agent declares and nobody configured", () => {
    const declaring = { ...agent, models: ["small", "smal"] };
    const models = { small: { chain: ["openai/x"] } };
    const faults = faultsOf({ providers: { openai: provider }, models, agents: [declaring] });
    expect(faults).toContain('agents.0.models: there is no model "smal". Did you mean "small"?');
  });

  it("[LF-8] a declared agent that is not there is named, with the one that was meant; a prompt is always there", () => {
    const declaring = { ...agent, spawns: ["llm", agent.name, `${agent.name}s`] };
    const faults = faultsOf({ agents: [declaring] });
    expect(faults).toContain(`agents.0.spawns: there is no agent "${agent.name}s"`);
    expect(faults).toContain(`Did you mean "${agent.name}"?`);
  });

  it("refuses what is no agent, and two agents of one name", () => {
    expect(faultsOf({ agents: [{ name: "x" }] })).toContain("agents.0");
    expect(faultsOf({ agents: [agent, agent] })).toContain('the name "hello" is taken');
  });

  it.each([
    [{ selfFenceMs: 8000 }, "selfFenceMs (8000) must be less than liveness.workerLeaseMs"],
    [{ workerRenewMs: 3000 }, "workerRenewMs (3000) must be at most a third"],
    [{ schedulerRenewMs: 5000 }, "schedulerRenewMs (5000) must be at most a third"],
    [{ holdExpiryMs: 20_000 }, "holdRenewMs (15000) must be at most a third"],
    [{ pollMs: 0 }, "liveness.pollMs"],
    [{ pollMs: "2s" }, "liveness.pollMs"],
  ])(
    "refuses the liveness numbers %j, which would let two workers run one attempt or spin",
    (liveness, fault) => {
      expect(faultsOf({ liveness })).toContain(fault);
    },
  );

  it.each([
    "http://api.example.com",
    "https://user:pw@api.example.com",
    "ftp://x",
    "http://127.0.0.1.evil.test",
  ])(
    "[B193] refuses the provider address %s, where a key would travel in clear text",
    (baseUrl) => {
      expect(faultsOf({ providers: { a: { ...provider, baseUrl } } })).toContain(
        "providers.a.baseUrl",
      );
    },
  );

  it("allows plain http on loopback", () => {
    expect(faultsOf({ providers: { a: { ...provider, baseUrl: "http://127.0.0.1:9/v1" } } })).toBe(
      "",
    );
  });
});

describe("loading a configuration", () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "bridle-config-"))));
  afterEach(async () => rm(folder, { recursive: true, force: true }));

  it("needs none", async () => {
    const loaded = await loadConfig(folder);
    expect([loaded.path, loaded.config.agents]).toEqual([undefined, []]);
  });

  it("finds bridle.config.mjs", async () => {
    await writeFile(
      join(folder, "bridle.config.mjs"),
      "export default { limits: { maxStepsPerTask: 7 } };",
    );
    expect((await loadConfig(folder)).config.limits).toEqual({ maxStepsPerTask: 7 });
  });

  it.each([
    ["is not there", undefined, "there is no such file"],
    ["throws", "throw new Error('no network');", "no network"],
    ["has no default export", "export const config = {};", "no default export"],
  ])("says in one sentence that a file %s", async (_what, text, reason) => {
    const path = join(folder, "broken.config.mjs");
    if (text !== undefined) await writeFile(path, text);

    const error = await loadConfig(folder, "broken.config.mjs").catch(
      (caught: unknown) => caught as Error,
    );

    expect(error).toMatchObject({
      code: "config_unreadable",
      message: expect.stringContaining(path),
    });
    expect((error as Error).message).toContain(reason);
    expect((error as Error).message).not.toMatch(/\n\s+at /);
  });
});
