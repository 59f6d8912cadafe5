import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { clientOptions } from "../src/connection.ts";
import { createFetch, createGuardedFetch } from "../src/index.ts";
import { resolveSettings, settings, variableOf } from "../src/settings.ts";

const dropIn = { isPort: false, environment: {} };

describe("settings", () => {
  it("[L16] default to connect, write and pool wait of 30 s, any byte 30 min, and no total", () => {
    expect(resolveSettings({}, dropIn)).toMatchObject({
      connectMs: 30_000,
      writeMs: 30_000,
      poolWaitMs: 30_000,
      anyByteMs: 1_800_000,
      totalMs: 0,
    });
  });

  it("lie a minute above the longest idle limit of the call layer, 900 s, so that its clocks fire first", () => {
    const { firstByteMs, stallMs, anyByteMs } = resolveSettings({}, dropIn);
    for (const ms of [firstByteMs, stallMs, anyByteMs]) {
      expect(ms).toBeGreaterThanOrEqual(900_000 + 60_000);
    }
  });

  it("[B023] behind the call layer there is no limit on an answer's time but the call layer's", () => {
    expect(resolveSettings({}, { ...dropIn, isPort: true })).toMatchObject({
      firstByteMs: 0,
      anyByteMs: 0,
      stallMs: 0,
      totalMs: 0,
    });
  });

  it("[B023] undici's own clocks for headers and body are off", () => {
    expect(clientOptions(resolveSettings({}, dropIn))).toMatchObject({
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  });

  it("come from the option, else the environment, else the default", () => {
    const environment = { BRIDLE_LLM_CONNECT_MS: "5000", BRIDLE_LLM_MAX_ERROR_BYTES: "7" };
    const options = { connectMs: 100 };
    expect(resolveSettings(options, { isPort: false, environment })).toMatchObject({
      connectMs: 100,
      maxErrorBytes: 7,
      maxResponseBytes: 64 * 1024 * 1024,
    });
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31])("refuse %s and name the option", (value) => {
    expect(() => createFetch({ connectMs: value })).toThrow("connectMs");
  });

  it.each(["", " ", "1e309", "30s", "-1", "99999999999999999999"])(
    "refuse %j in the environment and name the variable",
    (text) => {
      const environment = { BRIDLE_LLM_TOTAL_MS: text };
      expect(() => createGuardedFetch({ environment })).toThrow("BRIDLE_LLM_TOTAL_MS");
    },
  );

  it("refuse a switch that is neither true nor false", () => {
    const environment = { BRIDLE_LLM_FORCE_IPV4: "yes" };
    expect(() => createGuardedFetch({ environment })).toThrow("BRIDLE_LLM_FORCE_IPV4");
  });

  it("tell of every fault at once", () => {
    const make = (): unknown => createFetch({ connectMs: 0, writeMs: -1 });
    expect(make).toThrow(/connectMs.*writeMs/);
  });

  it("stand in the README with unit, default, what 0 means, range and variable", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    for (const [name, { unit, default: value, least, most }] of Object.entries(settings)) {
      const row = readme.split("\n").find((line) => line.startsWith(`| \`${name}\``));
      const cells = row?.split("|").map((cell) => cell.trim().replaceAll(/[,\s]/g, ""));
      expect(cells).toEqual(
        expect.arrayContaining([
          unit,
          String(value),
          least === 0 ? "nolimit" : "refused",
          most === Number.MAX_SAFE_INTEGER ? `${least}andmore` : `${least}to${most}`,
          `\`${variableOf(name)}\``,
        ]),
      );
    }
  });
});
