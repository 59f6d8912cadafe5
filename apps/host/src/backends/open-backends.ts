/**
 * Opens store and queue by their URLs. Heavy libraries are loaded only for the kind that is asked for.
 *
 * 1. One URL, one database: store and queue on the same URL share it.
 * 2. What was opened before a failure is closed again, in reverse order.
 */
import type { Clock } from "@bridle/kernel";
import type { Store, TaskQueue } from "@bridle/ports";
import { bridleError } from "@bridle/protocol";
import type { Database } from "@bridle/store-postgres";

import { preparedFolder } from "./prepared-folder.ts";

export interface BackendsOptions {
  /** `pglite:<folder>`, `postgres://…` or `memory:`. */
  readonly storeUrl: string;
  readonly queueUrl: string;
  readonly clock: Clock;
  /** False: no notification is ever delivered; everything is found by polling. Default true. */
  readonly wakeUps?: boolean | undefined;
  /** Told of broken connections; they mend themselves. */
  readonly onError: (error: unknown) => void;
  /** Contract: called once, when the store has begun to open beside this thread; must not throw. */
  readonly whileOpening?: (() => void) | undefined;
}

export interface Backends {
  readonly store: Store;
  readonly queue: TaskQueue;
  /** One sentence on what survives what. */
  readonly durability: string;
  /** The machine went down under the embedded store: what was acknowledged last may be missing. */
  readonly lostPower: boolean;
  close(): Promise<void>;
}

/** Rejects with `store_unavailable`, `store_locked`, `store_unwritable`, `store_full` or `store_too_new`. */
export async function openBackends(options: BackendsOptions): Promise<Backends> {
  if (options.storeUrl === "memory:") return openMemory(options);
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- in reverse order of opening
    for (const end of opened.splice(0).toReversed()) await end();
  };
  try {
    return { ...(await openSql(options, opened)), close };
  } catch (error) {
    await close().catch(options.onError);
    throw error;
  }
}

async function openMemory({ clock, wakeUps, whileOpening }: BackendsOptions): Promise<Backends> {
  whileOpening?.();
  const { createMemoryQueue, createMemoryStore } = await import("@bridle/ports/testing");
  const store = createMemoryStore({ clock, feed: wakeUps === false ? "off" : "on" });
  const queue = createMemoryQueue({ clock });
  return {
    store,
    queue,
    durability: "In memory: nothing survives the end of this process.",
    lostPower: false,
    close: async () => {
      await queue.close();
      await store.close();
    },
  };
}

async function openSql(
  options: BackendsOptions,
  opened: (() => Promise<void>)[],
): Promise<Omit<Backends, "close">> {
  const { clock, wakeUps, onError, storeUrl, queueUrl } = options;
  const open = await loadDatabase(storeUrl);
  const opening = open(options);
  // The embedded database has its thread now: the rest of the code loads beside it.
  const adapters = Promise.all([import("@bridle/store-postgres"), import("@bridle/queue-bullmq")]);
  options.whileOpening?.();
  const database = await opening;
  opened.push(() => database.close());
  const [{ createPostgresStore }, { createPostgresQueue }] = await adapters;
  const store = await createPostgresStore({ database, clock, wakeUps, onError });
  opened.push(() => store.close());
  const queueDatabase =
    queueUrl === storeUrl ? database : await (await loadDatabase(queueUrl))(options);
  if (queueDatabase !== database) opened.push(() => queueDatabase.close());
  const pool = queueDatabase.queuePool();
  const queue = await createPostgresQueue({
    pool,
    clock,
    wakeUps,
    onError,
    exclusive: queueDatabase.exclusive,
  });
  opened.push(() => queue.close());
  const lostPower = "previousEnd" in database && database.previousEnd === "reboot";
  return { store, queue, durability: database.durability, lostPower };
}

type OpenDatabase = (options: Pick<BackendsOptions, "clock" | "onError">) => Promise<Database>;

/** The code of the database a URL names, and nothing else. */
async function loadDatabase(url: string): Promise<OpenDatabase> {
  if (url.startsWith("pglite:")) {
    const { openPgliteDatabase } = await import("@bridle/store-postgres/pglite");
    const folder = url.slice("pglite:".length);
    return async ({ clock, onError }) =>
      openPgliteDatabase({ folder, archive: preparedFolder, clock, onError });
  }
  if (!/^postgres(?:ql)?:/.test(url)) {
    throw bridleError("config_invalid", {
      message: `BRIDLE_QUEUE_URL must be on the same kind of store; "${url.split(":", 1)[0] ?? ""}:" is not possible here.`,
    });
  }
  const { createPostgresDatabase } = await import("@bridle/store-postgres");
  return async ({ onError }) => createPostgresDatabase({ url, onError });
}
