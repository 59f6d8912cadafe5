import { join } from "node:path";

import { systemClock } from "@bridle/kernel/system";
import { createPostgresDatabase } from "@bridle/store-postgres";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { postgresBin, usePostgres } from "../support/postgres-for-tests.ts";
import { findCanaries, spellings } from "../support/secret-canary.ts";
import { dumpDatabase } from "./dump-database.ts";
import { LeakyHouse, secrets } from "./leaky-house.ts";

/*
 * A real installation with a fake secret in every place that takes one, and everything going wrong that could make one
 * of them seen. Then whatever it said, stored or left behind is searched.
 */

const stores = [
  { store: "PGlite", isServer: false },
  { store: "Postgres", isServer: true },
].filter(({ isServer }) => !isServer || postgresBin !== undefined);

describe.each(stores)("[B199] an installation on $store", ({ isServer }) => {
  const postgres = usePostgres();
  let house: LeakyHouse;
  let runId: string;

  beforeAll(async () => {
    if (isServer) {
      const url = new URL(await postgres.server.createDatabase());
      url.password = encodeURIComponent(secrets["the store's password"]);
      house = await LeakyHouse.open(() => url.href);
      runId = await house.live(["server"], ["worker"]);
      const database = await createPostgresDatabase({ url: url.href });
      house.noteAll(await dumpDatabase(database));
      await database.close();
      return;
    }
    house = await LeakyHouse.open((folder) => `pglite:${join(folder, "data")}`);
    runId = await house.live(["dev"]);
    const database = await openPgliteDatabase({ folder: house.dataFolder, clock: systemClock });
    house.noteAll(await dumpDatabase(database));
    await database.close();
  }, 240_000);
  afterAll(async () => house.remove());

  it("[X4] lets none of its secrets out, in no spelling and in no place", () => {
    expect(findCanaries({ ...secrets, ...house.apiKeys }, house.places)).toEqual([]);
  });

  it("control: everything went wrong that was to, and left its traces in the places that were searched", () => {
    const places = [...house.places.keys()];
    const all = [...house.places.values()].join("\n");
    expect(house.apiKeys["an API key"]).toMatch(/^brd_/);
    expect(places.filter((place) => place.startsWith("/proc/")).length).toBeGreaterThan(1);
    expect(places.filter((place) => place.startsWith("table ")).length).toBeGreaterThan(10);
    for (const trace of [runId, "I pass on", "the tool said", "BRIDLE_ISOLATE="])
      expect([trace, all.includes(trace)]).toEqual([trace, true]);
    for (const place of ["event stream", "table bridle.entry"])
      expect([place, house.places.get(place)?.includes("answered 429")]).toEqual([place, true]);
    expect(all.split("[redacted]").length).toBeGreaterThan(20);
  });
});

describe("control: the search finds a secret", () => {
  it.each(spellings.map(([name, spell]) => ({ name, spell })))(
    "that is $name, whatever stands around it",
    ({ name, spell }) => {
      const secret = 'sk-canary/K9+"7f\\Qz%1';
      const places = new Map([["there", `before ${spell(secret)} after`]]);
      const found = findCanaries({ canary: secret }, places).map(({ spelling }) => spelling);
      expect(found).toContain(name);
    },
  );

  it.each([0, 1, 2, 3, 4, 5])("in base64 behind %i other bytes", (length) => {
    const text = Buffer.from(`${"x".repeat(length)}sk-canary-K9:tail`).toString("base64");
    expect(findCanaries({ canary: "sk-canary-K9" }, new Map([["there", text]]))).not.toEqual([]);
  });

  it("nowhere where there is none", () => {
    const places = new Map([["there", "sk-canary-K8 and nothing else"]]);
    expect(findCanaries({ canary: "sk-canary-K9" }, places)).toEqual([]);
  });
});
