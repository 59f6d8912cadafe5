import type { Bus } from "@bridle/bus";
import type { Clock } from "@bridle/kernel";
import type { Logger, Store, TaskQueue } from "@bridle/ports";

import type { Config } from "../config/check-config.ts";
import type { Environment } from "../config/environment.ts";

/** What the parts of one process share. */
export interface Parts {
  readonly environment: Environment;
  readonly config: Config;
  /** Variables that `env('X')` of the configuration may name. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  readonly queue: TaskQueue;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Logger;
  /** Names this start of the process. */
  readonly bootId: string;
  readonly installToken: string;
  readonly usesKeys: boolean;
  readonly version: string;
}
