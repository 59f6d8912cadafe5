import type { Bus } from "@bridle/bus";
import type { Clock } from "@bridle/kernel";
import type { Logger, Store, TaskQueue } from "@bridle/ports";

import type { Config } from "../config/check-config.ts";
import type { Environment } from "../config/environment.ts";
import type { Secrets } from "../models/secrets.ts";

/** What the parts of one process share. */
export interface Parts {
  readonly environment: Environment;
  readonly config: Config;
  /** What isolates inherit from, through an allow-list. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  readonly queue: TaskQueue;
  readonly secrets: Secrets;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Logger;
  /** A JSON-safe copy without secrets, as lines of the log are. */
  readonly redact: (value: unknown) => unknown;
  /** Names this start of the process. */
  readonly bootId: string;
  readonly installToken: string;
  readonly usesKeys: boolean;
  readonly version: string;
  /** One sentence on what the store survives. */
  readonly durability: string;
}
