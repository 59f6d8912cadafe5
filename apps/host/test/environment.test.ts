import { describe, expect, it } from "vitest";

import { readEnvironment, variables } from "../src/config/environment.ts";

const numbers = Object.entries(variables).flatMap(([name, variable]) =>
  variable.kind === "whole" ? [{ name, ...variable }] : [],
);

describe("reading the environment", () => {
  it("takes the embedded default when nothing is set", () => {
    expect(readEnvironment({})).toEqual({
      storeUrl: "pglite:./.bridle",
      queueUrl: "pglite:./.bridle",
      dataDir: "./.bridle",
      configPath: undefined,
      host: "127.0.0.1",
      port: 7070,
      concurrency: undefined,
      shutdownMs: 20_000,
      logLevel: "info",
    });
  });

  const nonsense = [
    "15s",
    "",
    " ",
    "abc",
    "-1",
    "1e9",
    "Infinity",
    "NaN",
    "٣",
    "0x10",
    "1.5",
    "99999999999",
  ];
  it.each(numbers.flatMap(({ name }) => nonsense.map((value) => [name, value] as const)))(
    "[B181] refuses %s=%j and names the variable and its range",
    (name, value) => {
      const { least, most } = variables[name as "PORT"];
      expect(() => readEnvironment({ [name]: value })).toThrow(
        `${name} is "${value}"; expected a whole number from ${least} to ${most}.`,
      );
    },
  );

  it.each(numbers)(
    "[B181] takes both ends of $name's range and nothing beyond",
    ({ name, least, most }) => {
      expect(() => readEnvironment({ [name]: String(least) })).not.toThrow();
      expect(() => readEnvironment({ [name]: String(most) })).not.toThrow();
      expect(() => readEnvironment({ [name]: String(most + 1) })).toThrow(name);
    },
  );

  it("[B181] allows zero only where it means something", () => {
    expect(numbers.filter(({ least }) => least === 0).map(({ name }) => name)).toEqual([
      "PORT",
      "BRIDLE_SHUTDOWN_MS",
    ]);
  });

  it("lists every fault at once", () => {
    expect(() =>
      readEnvironment({ PORT: "x", LOG_LEVEL: "loud", BRIDLE_STORE_URL: "mysql://db" }),
    ).toThrow(/3 errors[\s\S]*PORT[\s\S]*|[\s\S]*LOG_LEVEL/);
  });

  it("does not repeat a store's URL, which may hold a password", () => {
    const read = (): unknown => readEnvironment({ BRIDLE_STORE_URL: "mysql://me:hunter2@db" });
    expect(read).toThrow('BRIDLE_STORE_URL starts with "mysql:"');
    expect(read).not.toThrow(/hunter2/);
  });

  it.each(["postgres://me:hunter2@[db", "postgres://me:hunter2/x@db:5432/runs"])(
    "says how to write a password that breaks a URL: %s",
    (url) => {
      const read = (): unknown => readEnvironment({ BRIDLE_STORE_URL: url });
      expect(read).toThrow(/BRIDLE_STORE_URL is no URL that can be read.*%2F/);
      expect(read).not.toThrow(/hunter2/);
    },
  );

  it("control: takes a server on a socket, and a password that is written as it must", () => {
    for (const url of ["postgres:///runs?host=/tmp", "postgres://me:a%2Fb@db:5432/runs"]) {
      expect(readEnvironment({ BRIDLE_STORE_URL: url }).storeUrl).toBe(url);
    }
  });

  it("asks about a variable that is nearly one of ours, and leaves others alone", () => {
    expect(() => readEnvironment({ BRIDLE_STOREURL: "memory:" })).toThrow(
      "Did you mean BRIDLE_STORE_URL?",
    );
    expect(() => readEnvironment({ BRIDLE_SOMETHING_ELSE_ENTIRELY: "1" })).not.toThrow();
  });

  it("keeps token and keys in the embedded store's folder", () => {
    expect(readEnvironment({ BRIDLE_STORE_URL: "pglite:/data/b" }).dataDir).toBe("/data/b");
    expect(readEnvironment({ BRIDLE_STORE_URL: "postgres://h/d" }).dataDir).toBe("./.bridle");
    expect(readEnvironment({ BRIDLE_DATA_DIR: "/x" }).dataDir).toBe("/x");
  });

  it("of the transport are known, and checked at start like all others", () => {
    expect(() => readEnvironment({ BRIDLE_LLM_STALL_MS: "5000" })).not.toThrow();
    const faulty = { BRIDLE_LLM_STALL_MS: "5s", BRIDLE_LLM_CONECT_MS: "1" };
    const read = (): unknown => readEnvironment(faulty);
    expect(read).toThrow(/BRIDLE_LLM_STALL_MS\) must be a whole number of ms/);
    expect(read).toThrow("Did you mean BRIDLE_LLM_CONNECT_MS?");
  });
});
