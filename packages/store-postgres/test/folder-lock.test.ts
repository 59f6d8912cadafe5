// Real time: a lock is as old as the file system says.
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Clock } from "@bridle/kernel";
import { describe, expect, it, onTestFinished } from "vitest";

import { lockFolder, lockFolderWhenWritten } from "../src/pglite/folder-lock.ts";

async function lockFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-lock-"));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  return join(folder, "bridle.lock");
}

/** A lock as its holder left it, with some of its facts changed. */
async function abandoned(file: string, changes: object): Promise<void> {
  const lock = await lockFolder(file, Date.now());
  const owner = JSON.parse(await readFile(file, "utf8")) as object;
  await lock.release();
  await writeFile(file, JSON.stringify({ ...owner, ...changes }));
}

const elsewhere = { host: "another", namespace: "pid:[1]", machineBoot: "another" };

describe("the lock of a data folder", () => {
  it("is given to one of many that ask at once", async () => {
    const file = await lockFile();
    const asked = await Promise.allSettled(
      Array.from({ length: 20 }, async () => lockFolder(file, Date.now())),
    );
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("of a dead process is given to one of many that ask at once, and leaves nothing behind", async () => {
    const file = await lockFile();
    await abandoned(file, { startedAt: "1" });
    const asked = await Promise.allSettled(
      Array.from({ length: 20 }, async () => lockFolder(file, Date.now())),
    );
    const given = asked.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    expect(given).toHaveLength(1);
    await given[0]?.release();
    expect(await readdir(join(file, ".."))).toEqual([]);
  });

  it("of another machine or container holds while it is touched, and no longer", async () => {
    const file = await lockFile();
    await abandoned(file, elsewhere);
    await expect(lockFolder(file, Date.now() + 20_000)).rejects.toMatchObject({
      code: "store_locked",
      details: { host: "another" },
    });
    const lock = await lockFolder(file, Date.now() + 40_000);
    expect(lock.abandonedBy).toMatchObject(elsewhere);
    await lock.release();
  });

  it("that is just being written holds; one that never was does not", async () => {
    const file = await lockFile();
    await writeFile(file, "");
    await expect(lockFolder(file, Date.now())).rejects.toMatchObject({ code: "store_locked" });
    const lock = await lockFolder(file, Date.now() + 40_000);
    await lock.release();
    expect(await readdir(join(file, ".."))).toEqual([]);
  });

  it("that its creator was killed before writing is waited for, not refused", async () => {
    const file = await lockFile();
    await writeFile(file, "");
    let passedMs = 0;
    const clock: Clock = {
      wallMs: () => Date.now() + passedMs,
      monotonicMs: () => passedMs,
      setTimer: (ms, callback) => {
        passedMs += ms;
        queueMicrotask(callback);
        return { cancel: () => undefined };
      },
    };
    const lock = await lockFolderWhenWritten(file, clock);
    expect(passedMs).toBeLessThanOrEqual(5000);
    await expect(lockFolderWhenWritten(file, clock)).rejects.toMatchObject({
      code: "store_locked",
      details: { pid: process.pid },
    });
    await lock.release();
  });

  it("is not released by a holder that has lost it", async () => {
    const file = await lockFile();
    const lock = await lockFolder(file, Date.now());
    await writeFile(file, JSON.stringify({ nonce: "somebody else's" }));
    await lock.release();
    expect(await readFile(file, "utf8")).toContain("somebody else's");
  });
});
