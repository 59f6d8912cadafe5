import type { Payload } from "@bridle/protocol";
import { bridleError } from "@bridle/protocol";

import { PayloadFault, takePayload } from "../wire/payload.ts";
import type { TakeOptions } from "../wire/payload.ts";
import { failedBy } from "./attempt-end.ts";
import type { AttemptEnd } from "./attempt-end.ts";

/**
 * An isolate's result as the end of its attempt. Whatever the agent returned, the task ends: too large, not JSON, or a file that is
 * not there are failures of the task, never of the run's bookkeeping (B155).
 */
export function checkOutput(output: Payload, options: TakeOptions): AttemptEnd {
  try {
    const text = takePayload(output, options);
    JSON.parse(text);
    return { status: "completed", output: text };
  } catch (error) {
    const isTooLarge = error instanceof PayloadFault && error.isTooLarge;
    const message = `The agent's output was refused: ${error instanceof Error ? error.message : String(error)}`;
    return failedBy(
      bridleError(isTooLarge ? "output_too_large" : "output_invalid", {
        message,
        details: isTooLarge ? { limitBytes: options.maxBytes } : {},
      }),
    );
  }
}
