import type { AnyAgent } from "@bridle/agent";
import type { Clock } from "@bridle/kernel";

import { InlineIsolate } from "./inline-isolate.ts";
import type { IsolateSource } from "./isolate-source.ts";

export interface InlineSourceOptions {
  readonly agent: AnyAgent;
  readonly clock: Clock;
  readonly onAbandoned: () => void;
}

/** Inline isolates cost nothing to make, so each task gets a new one. */
export function inlineSource(options: InlineSourceOptions): IsolateSource {
  return {
    acquire: async () => new InlineIsolate(options),
    release: async (isolate, reusable) => {
      isolate.listen(undefined);
      if (!reusable) await isolate.reclaim();
    },
    close: async () => {},
  };
}
