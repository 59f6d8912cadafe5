import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SimulatedClock } from "@bridle/kernel/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { fileAuthenticator } from "../src/access/file-authenticator.ts";
import { createKey, ensureInstallToken, readKeys, revokeKey } from "../src/access/index.ts";
import { isSameHash } from "../src/access/secrets.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), "bridle-access-")), "data");
});
afterEach(async () => rm(join(dataDir, ".."), { recursive: true, force: true }));

const modeOf = async (path: string): Promise<string> =>
  ((await stat(path)).mode & 0o777).toString(8);

describe("the install token", () => {
  it("is made once, is long, and only its owner can read it", async () => {
    const first = await ensureInstallToken(dataDir);
    const second = await ensureInstallToken(dataDir);

    expect(first).toMatch(/^brd_local_[0-9a-v]{52}$/);
    expect(second).toBe(first);
    expect([await modeOf(join(dataDir, "token")), await modeOf(dataDir)]).toEqual(["600", "700"]);
  });

  it("is one for all who start at once on a new folder, and no draft of it is left", async () => {
    const tokens = await Promise.all(
      Array.from({ length: 8 }, async () => ensureInstallToken(dataDir)),
    );
    const stored = await readFile(join(dataDir, "token"), "utf8");
    expect(new Set(tokens)).toEqual(new Set([stored.trim()]));
    expect(await readdir(dataDir)).toEqual(["token"]);
  });

  it("is made anew where its file is empty", async () => {
    await ensureInstallToken(dataDir);
    await writeFile(join(dataDir, "token"), "\n");
    const token = await ensureInstallToken(dataDir);
    expect(await readFile(join(dataDir, "token"), "utf8")).toBe(`${token}\n`);
  });

  it("says that the folder cannot be used, when it cannot", async () => {
    await writeFile(dataDir, "a file in the folder's place");
    await expect(ensureInstallToken(dataDir)).rejects.toMatchObject({ code: "store_unwritable" });
  });
});

describe("API keys", () => {
  const newKey = { name: "ci", scopes: ["submit"], at: 1 } as const;

  it("[B199] are stored as hashes: the key itself is nowhere in the folder", async () => {
    const { key, stored } = await createKey(dataDir, newKey);
    const text = await readFile(join(dataDir, "keys.json"), "utf8");

    expect(text).toContain(stored.hash);
    expect(text).not.toContain(key);
    expect(text).not.toContain(key.split("_").at(-1));
    expect(await modeOf(join(dataDir, "keys.json"))).toBe("600");
  });

  it("compare equal only as a whole", () => {
    expect(isSameHash("aabb", "aabb")).toBe(true);
    for (const other of ["aabc", "aab", "", "zz", "aabbcc"])
      expect(isSameHash("aabb", other)).toBe(false);
    expect(isSameHash("", "")).toBe(false);
  });

  it("survive a folder with wide rights left over from before", async () => {
    await createKey(dataDir, newKey);
    await chmod(join(dataDir, "keys.json"), 0o644);
    await createKey(dataDir, newKey);
    expect(await modeOf(join(dataDir, "keys.json"))).toBe("600");
  });

  it("let nobody in when their list cannot be read", async () => {
    const installToken = await ensureInstallToken(dataDir);
    await writeFile(join(dataDir, "keys.json"), "{");
    const authenticator = fileAuthenticator({
      dataDir,
      installToken,
      clock: new SimulatedClock(),
    });
    await expect(authenticator.authenticate(installToken)).rejects.toMatchObject({
      code: "store_corrupt",
    });
  });
});

describe("who a credential belongs to", () => {
  async function start() {
    const clock = new SimulatedClock();
    const installToken = await ensureInstallToken(dataDir);
    const authenticator = fileAuthenticator({ dataDir, installToken, clock });
    const authenticate = async (credential: string) => authenticator.authenticate(credential);
    return { clock, installToken, authenticate };
  }

  it("takes the install token while there are no keys", async () => {
    const { authenticate, installToken } = await start();
    expect(await authenticate(installToken)).toEqual({ id: "local", scopes: ["admin"] });
    expect(await authenticate(`${installToken}x`)).toBeUndefined();
  });

  it("takes keys only, once there is one, and stays shut when all are revoked", async () => {
    const { authenticate, installToken, clock } = await start();
    const { key, stored } = await createKey(dataDir, { name: "a", scopes: ["read"], at: 1 });

    expect(await authenticate(key)).toEqual({ id: stored.id, scopes: ["read"] });
    expect(await authenticate(installToken)).toBeUndefined();

    await revokeKey(dataDir, stored.id, 2);
    clock.advance(1000);
    expect(await authenticate(key)).toBeUndefined();
    expect(await authenticate(installToken)).toBeUndefined();
  });

  it("refuses a revoked key within a second, and not before it looks again", async () => {
    const { authenticate, clock } = await start();
    const { key, stored } = await createKey(dataDir, { name: "a", scopes: ["read"], at: 1 });
    await authenticate(key);
    await revokeKey(dataDir, stored.id, 2);

    clock.advance(999);
    expect(await authenticate(key)).toBeDefined();
    clock.advance(1);
    expect(await authenticate(key)).toBeUndefined();
    expect((await readKeys(dataDir))[0]).toMatchObject({ revokedAt: 2 });
  });
});
