import { randomBytes } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { systemClock } from "@bridle/kernel/system";
import { createPostgresStore } from "@bridle/store-postgres";
import { openPgliteDatabase, type PgliteDatabase } from "@bridle/store-postgres/pglite";
import { describe, expect, it, onTestFinished } from "vitest";

import { startNodeProgram } from "../support/node-program.ts";
import { canMountDisks, growDisk, makeReadOnly, mountDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

const prelude = `
  import { systemClock as clock } from "@bridle/kernel/system";
  import { createPostgresStore } from "@bridle/store-postgres";
  import { openPgliteDatabase } from "@bridle/store-postgres/pglite";
`;

async function open(folder: string): Promise<PgliteDatabase> {
  const database = await openPgliteDatabase({ folder, clock: systemClock });
  onTestFinished(async () => database.close());
  return database;
}

/** A process that appends numbered rows and prints each number once it was acknowledged. */
function startWriter(folder: string) {
  return startNodeProgram(`${prelude}
    const database = await openPgliteDatabase({ folder: ${JSON.stringify(folder)}, clock });
    const store = await createPostgresStore({ database, clock });
    await store.leases.acquire("held", "writer", 600_000);
    await database.pool.query("create table if not exists acknowledged (n bigint)");
    for (let n = Date.now() * 1000; ; n += 1) {
      await database.pool.query("insert into acknowledged values ($1)", [n]);
      process.stdout.write(n + "\\n");
    }
  `);
}

async function storedRows(database: PgliteDatabase): Promise<ReadonlySet<string>> {
  const { rows } = await database.pool.query<{ n: string }>("select n from acknowledged");
  return new Set(rows.map(({ n }) => n));
}

// Processes are started, databases made and disks filled: seconds each on a busy machine.
describe("the data folder", { timeout: 60_000 }, () => {
  it("keeps what was stored over a close, and says how it was left", async () => {
    const folder = await temporaryFolder();
    const first = await openPgliteDatabase({ folder, clock: systemClock });
    expect(first.previousEnd).toBe("none");
    await first.pool.query("create table kept as select 42 as answer");
    await first.close();
    const second = await open(folder);
    expect(second.previousEnd).toBe("closed");
    expect((await second.pool.query("select answer from kept")).rows).toEqual([{ answer: 42 }]);
  });

  it("is refused to a second process, and to the same one twice", async () => {
    const folder = await temporaryFolder();
    const writer = startWriter(folder);
    await writer.printed(1);
    await expect(openPgliteDatabase({ folder, clock: systemClock })).rejects.toMatchObject({
      code: "store_locked",
      details: { pid: writer.child.pid },
    });
    const other = await temporaryFolder();
    await open(other);
    await expect(openPgliteDatabase({ folder: other, clock: systemClock })).rejects.toMatchObject({
      code: "store_locked",
    });
  });

  it("loses no acknowledged row when its process is killed, round after round", async () => {
    const folder = await temporaryFolder();
    const acknowledged = new Set<string>();
    for (const rows of [40, 170, 400]) {
      const writer = startWriter(folder);
      // oxlint-disable-next-line no-await-in-loop -- rounds follow one another
      await writer.printed(rows);
      writer.child.kill("SIGKILL");
      // oxlint-disable-next-line no-await-in-loop -- rounds follow one another
      await writer.exited();
      // The last line may have been cut.
      for (const line of writer.lines.slice(0, -1)) acknowledged.add(line);
    }
    const database = await open(folder);
    expect(database.previousEnd).toBe("crash");
    const stored = await storedRows(database);
    expect([...acknowledged].filter((row) => !stored.has(row))).toEqual([]);
  });

  it("frees the leases of its dead process at once", async () => {
    const folder = await temporaryFolder();
    const writer = startWriter(folder);
    await writer.printed(1);
    writer.child.kill("SIGKILL");
    await writer.exited();
    const store = await createPostgresStore({
      database: await open(folder),
      clock: systemClock,
    });
    expect(await store.leases.acquire("held", "next", 1000)).toEqual({ epoch: 2 });
  });

  it("is not held by a lock whose process number now belongs to another process", async () => {
    const folder = await temporaryFolder();
    const first = await openPgliteDatabase({ folder, clock: systemClock });
    const lock = JSON.parse(await readFile(join(folder, "bridle.lock"), "utf8")) as object;
    await first.close();
    // As after a crash: the number is in use again (by this test), but its owner started at another time.
    await writeFile(join(folder, "bridle.lock"), JSON.stringify({ ...lock, startedAt: "1" }));
    expect((await open(folder)).previousEnd).toBe("crash");
  });

  it("tells a machine that went down from a process that did", async () => {
    const folder = await temporaryFolder();
    const first = await openPgliteDatabase({ folder, clock: systemClock });
    const lock = JSON.parse(await readFile(join(folder, "bridle.lock"), "utf8")) as object;
    await first.close();
    const before = { ...lock, machineBoot: "an earlier boot" };
    await writeFile(join(folder, "bridle.lock"), JSON.stringify(before));
    expect((await open(folder)).previousEnd).toBe("reboot");
  });

  it("is made anew when a first start was killed half-way", async () => {
    const folder = await temporaryFolder();
    const first = await openPgliteDatabase({ folder, clock: systemClock });
    await first.close();
    const half = await temporaryFolder();
    await writeFile(join(half, "pgdata.building"), "half of something");
    await open(half);
    expect(await readdir(half)).toEqual(["bridle.lock", "pgdata"]);
  });

  it("that is a file is refused with a code", async () => {
    const file = join(await temporaryFolder(), "file");
    await writeFile(file, "");
    await expect(openPgliteDatabase({ folder: file, clock: systemClock })).rejects.toMatchObject({
      code: "store_unwritable",
    });
    const below = join(file, "below");
    await expect(openPgliteDatabase({ folder: below, clock: systemClock })).rejects.toMatchObject({
      code: "store_unwritable",
    });
  });

  // Skipped: where no disk may be mounted.
  it.skipIf(!canMountDisks)("on a read-only disk is refused with a code", async () => {
    const disk = await mountDisk(1);
    await makeReadOnly(disk);
    await expect(
      openPgliteDatabase({ folder: join(disk, "data"), clock: systemClock }),
    ).rejects.toMatchObject({ code: "store_unwritable" });
  });

  // Skipped: where no disk may be mounted.
  it.skipIf(!canMountDisks)("on a full disk cannot be opened, and says so", async () => {
    const disk = await mountDisk(8);
    await expect(
      openPgliteDatabase({ folder: join(disk, "data"), clock: systemClock }),
    ).rejects.toMatchObject({ code: "store_full" });
  });

  // Skipped: where no disk may be mounted.
  it.skipIf(!canMountDisks)(
    "that fills the disk refuses more, and keeps what it had acknowledged",
    async () => {
      const disk = await mountDisk(60);
      const folder = join(disk, "data");
      const database = await openPgliteDatabase({ folder, clock: systemClock });
      const store = await createPostgresStore({ database, clock: systemClock });
      // Random, so that the database cannot pack it.
      const message = randomBytes(300_000).toString("base64");
      let appended = 0;
      const fill = async (): Promise<never> => {
        for (;;) {
          // oxlint-disable-next-line no-await-in-loop -- until it fails
          await store.fleet.append([{ type: "alert", at: 1, severity: "info", message }]);
          appended += 1;
        }
      };
      await expect(fill()).rejects.toMatchObject({ code: "store_full" });
      await database.close();
      // Room again, as after an operator has made some.
      await growDisk(disk, 200);
      const again = await createPostgresStore({ database: await open(folder), clock: systemClock });
      const kept = await again.fleet.read({ afterId: 0, limit: 100_000 });
      expect(kept.length).toBeGreaterThanOrEqual(appended);
    },
  );

  // Skipped: where no disk may be mounted.
  it.skipIf(!canMountDisks)(
    "whose log cannot be written stops the database once, for all, and never hangs",
    async () => {
      const disk = await mountDisk(60);
      const told: unknown[] = [];
      const database = await openPgliteDatabase({
        folder: join(disk, "data"),
        clock: systemClock,
        onError: (error) => told.push(error),
      });
      const store = await createPostgresStore({ database, clock: systemClock });
      await database.pool.query("create table filler (a text)");
      await until(async () => {
        await database.pool
          .query("insert into filler select md5(g::text) from generate_series(1, 2000) g")
          .catch(() => undefined);
        return told.length > 0;
      });
      expect(told).toEqual([expect.objectContaining({ code: "store_full" })]);
      await expect(store.ping()).rejects.toMatchObject({ code: "store_full" });
      await expect(store.fleet.read({ afterId: 0, limit: 1 })).rejects.toMatchObject({
        code: "store_full",
      });
      await database.close();
    },
  );
});
