import type { Clock } from "@bridle/kernel";

import { faultSentence } from "./fault-sentence.ts";
import type { Isolate, IsolateEnd } from "./isolate.ts";
import { sourcePlace } from "./source-place.ts";

/** Waits until an isolate has loaded its agent. Undefined once it has, or why it has not. */
export async function untilReady(
  isolate: Isolate,
  { clock, startMs }: { readonly clock: Clock; readonly startMs: number },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const settle = (reason: string | undefined): void => {
      timer.cancel();
      isolate.listen(undefined);
      resolve(reason);
    };
    const timer = clock.setTimer(startMs, () =>
      settle(`It did not become ready within ${startMs} ms.`),
    );
    isolate.listen({
      onMessage: (message) => {
        if (message.type === "ready") settle(undefined);
      },
      onLine: () => {},
      onEnd: (end) => settle(describeFailedStart(end)),
    });
  });
}

/** What a person needs to fix it: the file and line first, then Node's own words. */
function describeFailedStart({ exitCode, signal, fault, stderrTail }: IsolateEnd): string {
  const how = signal ?? (exitCode === undefined ? (fault ?? "unknown") : `exit code ${exitCode}`);
  const place = sourcePlace(stderrTail);
  const sentence = faultSentence(stderrTail);
  return [place, sentence ?? stderrTail.trim().slice(-500), `(${how})`]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
}
