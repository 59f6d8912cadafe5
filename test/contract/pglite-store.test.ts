import { systemClock } from "@bridle/kernel/system";
import { storeContract } from "@bridle/ports/contracts";
import { createPostgresStore } from "@bridle/store-postgres";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";

storeContract("PGlite", async () => {
  const database = await openPgliteDatabase({ memory: true, clock: systemClock });
  const store = await createPostgresStore({ database, clock: systemClock });
  return {
    store,
    cleanup: async () => {
      await store.close();
      await database.close();
    },
  };
});
