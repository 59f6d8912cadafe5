import { afterAll, beforeAll } from "vitest";

import { findPostgres, startPostgres, type PostgresServer } from "./start-postgres.ts";

/** Programs of the Postgres installed here; tests that need a server skip without one. */
export const postgresBin = await findPostgres();

/** One server for the tests of a file. Contract: call it only where `postgresBin` is defined. */
export function usePostgres(): { readonly server: PostgresServer } {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    if (postgresBin !== undefined) server = await startPostgres(postgresBin);
  });
  afterAll(async () => server?.remove());
  return {
    get server(): PostgresServer {
      if (server === undefined) throw new Error("There is no Postgres here.");
      return server;
    },
  };
}
