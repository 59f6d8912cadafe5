import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { DoctorCheck } from "../src/doctor/finding.ts";
import { isEnough } from "../src/doctor/versions-check.ts";
import { examine } from "../src/index.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bridle-doctor-"));
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

const provider = (name: string, baseUrl: string) =>
  `${name}: { kind: "openai-compatible", baseUrl: "${baseUrl}", profiles: [{ apiKey: { kind: "bridle.env", name: "KEY" } }] }`;

async function examined(models: string, env: Record<string, string> = { KEY: "sk-secret" }) {
  const providers = [
    provider("openai", "https://api.openai.com/v1"),
    provider("gateway", "https://models.example.com/v1"),
  ].join(", ");
  const path = join(folder, "bridle.config.mjs");
  await writeFile(path, `export default { providers: { ${providers} }, models: { ${models} } };`);
  const { healthy, findings } = await examine({
    env: { BRIDLE_STORE_URL: `pglite:${join(folder, "store")}`, ...env },
    folder,
  });
  const ofCode = (code: string) => findings.filter((finding) => finding.code === code);
  return { healthy, findings, ofCode };
}

const known = 'smart: { chain: ["openai/gpt-5"] }';

describe("bridle doctor's examination", () => {
  it("finds nothing to do in an installation that can start, and leaves it as it was", async () => {
    const { healthy, findings } = await examined(known);
    expect(findings.filter(({ level }) => level === "act")).toEqual([]);
    expect(healthy).toBe(true);
    expect(new Set(findings.map(({ check }) => check))).toEqual(
      new Set(["configuration", "versions", "store", "secrets", "prices", "transport"]),
    );
    expect(await readdir(folder)).toEqual(["bridle.config.mjs"]);
  });

  it("tells the limits in force on connections to providers, and the proxy without its login", async () => {
    const { ofCode } = await examined(known, {
      KEY: "sk-secret",
      BRIDLE_LLM_CONNECT_MS: "5000",
      HTTPS_PROXY: "http://me:hidden@proxy.example:3128",
    });
    expect(ofCode("transport_limits")).toMatchObject([
      { check: "transport", level: "ok", details: { connectMs: 5000, writeMs: 30_000 } },
    ]);
    expect(ofCode("transport_limits")[0]?.finding).toContain("the proxy proxy.example:3128");
    expect(JSON.stringify(ofCode("transport_limits"))).not.toContain("hidden");
  });

  it("[BU-2] tells of each model without a price, and what to do about it", async () => {
    const { healthy, ofCode } = await examined(
      `${known}, other: { chain: ["gateway/gpt-5", "openai/new"] }`,
    );
    expect(healthy).toBe(false);
    expect(ofCode("price_unknown")).toMatchObject([
      { check: "prices", level: "act", details: { model: "other", target: "gateway/gpt-5" } },
      { check: "prices", level: "act", details: { model: "other", target: "openai/new" } },
    ]);
    expect(ofCode("price_unknown")[0]?.todo).toContain('prices["gateway/gpt-5"]');
  });

  it("[G9] tells what each model costs per million tokens, and who says so", async () => {
    const own =
      'own: { chain: ["gateway/mine"], price: { inputUsdPerMillion: 0.0375, outputUsdPerMillion: 2 } }';
    const { ofCode } = await examined(`${known}, ${own}`);
    expect(ofCode("price_known").map(({ finding }) => finding)).toEqual([
      "smart: openai/gpt-5 costs $1.25 input, $0.125 cached input, $10.00 output per million tokens (from the price list, openai/gpt-5).",
      "own: gateway/mine costs $0.0375 input, $2.00 output per million tokens (from the model in the configuration).",
    ]);
    expect(ofCode("price_known")[1]?.details).toMatchObject({
      source: "model",
      nanoUsdPerMillionTokens: { input: 37_500_000, output: 2_000_000_000 },
    });
  });

  it("tells tiers, and a default apart from a price", async () => {
    const path = join(folder, "prices.json");
    const rates = { inputUsdPerMillion: 1, outputUsdPerMillion: 2 };
    const tiers = [{ aboveInputTokens: 200_000, ...rates, outputUsdPerMillion: 3 }];
    const file = {
      prices: { "openai/new": { ...rates, usdPerCall: 0.005, tiers } },
      defaultPrice: rates,
    };
    await writeFile(path, JSON.stringify(file));
    const models = 'a: { chain: ["openai/new", "gateway/new"] }';
    const { healthy, ofCode } = await examined(models, { KEY: "x", BRIDLE_PRICES: path });
    expect(healthy).toBe(true);
    expect(ofCode("price_known")[0]?.finding).toBe(
      "a: openai/new costs $1.00 input, $2.00 output per million tokens; $0.005 per call; above 200,000 tokens of input $1.00 input, $3.00 output (from the price file).",
    );
    expect(ofCode("price_default")).toMatchObject([
      { level: "note", details: { target: "gateway/new" } },
    ]);
  });

  it("tells of a key that is not set, and never the key of one that is", async () => {
    const { ofCode } = await examined(known, {});
    expect(ofCode("secret_missing")).toMatchObject([
      { level: "act", todo: expect.stringContaining("KEY_FILE") as unknown },
      { level: "act" },
    ]);
    expect(JSON.stringify(await examined(known))).not.toContain("sk-secret");
  });

  it("tells of files that others can read, until they cannot", async () => {
    const dataDir = join(folder, "data");
    await mkdir(dataDir);
    const token = join(dataDir, "token");
    await writeFile(token, "brd_local_x\n", { mode: 0o644 });
    await chmod(token, 0o644);
    const env = { KEY: "x", BRIDLE_DATA_DIR: dataDir };
    expect((await examined(known, env)).ofCode("file_readable_by_others")).toMatchObject([
      { level: "act", todo: `chmod 600 ${token}`, details: { mode: "644" } },
    ]);
    await chmod(token, 0o600);
    const { healthy, ofCode } = await examined(known, env);
    expect([healthy, ofCode("file_private").length]).toEqual([true, 1]);
  });

  it("tells of a store that does not answer, without its password", async () => {
    const env = { KEY: "x", BRIDLE_STORE_URL: "postgres://u:hunter2@127.0.0.1:1/none" };
    const { healthy, findings } = await examined(known, env);
    expect(healthy).toBe(false);
    expect(findings.find(({ check }) => check === "store")).toMatchObject({
      code: "store_unavailable",
      level: "act",
    });
    expect(JSON.stringify(findings)).not.toContain("hunter2");
  });

  it("tells of a configuration at fault once, and what else can be told", async () => {
    const { findings } = await examined('smart: { chain: ["nobody/gpt-5"] }');
    expect(findings.filter(({ level }) => level === "act")).toMatchObject([
      { check: "configuration", code: "config_invalid" },
    ]);
    expect(findings.some(({ check }) => check === "versions")).toBe(true);
  });

  it("hears the other checks when one fails", async () => {
    const fails: DoctorCheck = {
      name: "fails",
      run: async () => {
        throw new Error("no such device");
      },
    };
    const works: DoctorCheck = {
      name: "works",
      run: async () => [{ code: "fine", level: "ok", finding: "Fine." }],
    };
    const { healthy, findings } = await examine({ env: {}, folder, checks: [fails, works] });
    expect(healthy).toBe(false);
    expect(findings.slice(1)).toMatchObject([
      { check: "fails", code: "check_failed", level: "act", finding: "no such device" },
      { check: "works", code: "fine" },
    ]);
  });

  it.each([
    ["20.19.0", true],
    ["22.1.0", true],
    ["20.18.3", false],
    ["18.20.0", false],
  ])("takes Node %s: %s", (version, enough) => {
    expect(isEnough(version)).toBe(enough);
  });
});
