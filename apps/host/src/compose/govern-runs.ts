import { Governor, rateGovernedError } from "@bridle/breaker";
import type { Bus } from "@bridle/bus";
import type { Clock } from "@bridle/kernel";
import type { GovernRun } from "@bridle/server";

import type { Config } from "../config/check-config.ts";
import { withoutUndefined } from "./without-undefined.ts";

export interface GovernRunsOptions {
  readonly config: Pick<Config, "guards">;
  readonly clock: Clock;
  readonly bus: Pick<Bus, "emit">;
}

/** GV-1 at the door: so many runs a minute per API key. In `warn` mode the excess is told of and let in. */
export function governRuns({ config, clock, bus }: GovernRunsOptions): GovernRun {
  const { mode, runsPerMinute } = config.guards?.governor ?? {};
  const governor = new Governor({ clock, mode, settings: withoutUndefined({ runsPerMinute }) });
  return (apiKey) => {
    const answer = governor.admitRun(apiKey);
    if (!answer.allowed) {
      throw rateGovernedError(answer.retryAfterMs, `The API key "${apiKey}" submits runs`);
    }
    const { wouldRefuseMs, giveBack } = answer;
    if (wouldRefuseMs !== undefined) {
      const at = clock.wallMs();
      bus.emit({ type: "would_refuse_run", at, apiKey, retryAfterMs: wouldRefuseMs });
    }
    return giveBack;
  };
}
