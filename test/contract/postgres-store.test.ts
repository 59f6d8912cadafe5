import { systemClock } from "@bridle/kernel/system";
import { storeContract } from "@bridle/ports/contracts";
import { createPostgresDatabase, createPostgresStore } from "@bridle/store-postgres";
import { describe } from "vitest";

import { postgresBin, usePostgres } from "../support/postgres-for-tests.ts";

// Skipped: where no Postgres is installed.
describe.skipIf(postgresBin === undefined)("on a server", () => {
  const postgres = usePostgres();
  storeContract("Postgres", async () => {
    const database = await createPostgresDatabase({ url: await postgres.server.createDatabase() });
    const store = await createPostgresStore({ database, clock: systemClock });
    return {
      store,
      cleanup: async () => {
        await store.close();
        await database.close();
      },
    };
  });
});
