import { CodedError } from "@bridle/kernel";
import { WireError } from "@bridle/ports";
import type { FailureClass, WireEnd, WireFailure } from "@bridle/ports";

import { classRules } from "./class-rules.ts";
import { classify } from "./classify.ts";
import type { Interruption } from "./interrupt.ts";
import type { ReplyReading } from "./reply-reading.ts";

/** How a wire call came out, for the permit and for the decision. */
export type AttemptVerdict =
  | { readonly outcome: "success"; readonly class?: undefined }
  | {
      readonly outcome: "failure" | "neutral";
      readonly class: FailureClass;
      readonly failure: WireFailure;
      /** Set when the caller's signal ended it: then nothing is decided, this is what the call rejects with. */
      readonly abortedBy?: { readonly reason: unknown };
    };

export interface AttemptEnd {
  readonly reading: ReplyReading;
  readonly interruption: Interruption | undefined;
  readonly error?: unknown;
}

/** Our own interruption first: what the stream says after it is an echo. Then the stream's failure, then the answer itself. */
export function judgeAttempt({ reading, interruption, error }: AttemptEnd): AttemptVerdict {
  const { stage } = reading;
  if (interruption?.by === "signal") return abortVerdict(reading, interruption.reason);
  if (interruption?.by === "no_output") {
    return failed("timeout", { stage, message: "Too long nothing came that counts as output." });
  }
  if (error !== undefined) return errorVerdict(reading, error);
  return answerVerdict(reading);
}

function failed(failureClass: FailureClass, failure: WireFailure): AttemptVerdict {
  const outcome: WireEnd["outcome"] = classRules[failureClass].isProviderFault
    ? "failure"
    : "neutral";
  return { outcome, class: failureClass, failure };
}

/** A step timeout is the provider's silence; any other reason is the caller's own. */
function abortVerdict({ stage }: ReplyReading, reason: unknown): AttemptVerdict {
  const isTimeout = CodedError.is(reason) && reason.code === "step_timeout";
  const message = isTimeout ? "The step timeout ended the call." : "The caller ended the call.";
  return {
    outcome: isTimeout ? "failure" : "neutral",
    class: isTimeout ? "timeout" : "aborted",
    failure: { stage, message },
    abortedBy: { reason },
  };
}

function errorVerdict({ stage }: ReplyReading, error: unknown): AttemptVerdict {
  if (error instanceof WireError)
    return failed(classify(error.failure), { ...error.failure, stage });
  // A target that throws anything else is broken itself: no fact about the provider, and its words may hold anything.
  return failed("unknown", { stage, message: "The model target failed in an unexpected way." });
}

/** L15: only an end that is known to be one makes an answer. */
function answerVerdict({ finish, stage, text }: ReplyReading): AttemptVerdict {
  const malformed = (message: string): AttemptVerdict =>
    failed("malformed", { stage, message, malformed: true });
  if (finish === undefined) return malformed("The answer broke off without a finish reason.");
  switch (finish.reason) {
    case "content_filter":
      return failed("refusal", { stage, message: "The provider's filter ended the answer." });
    case "error":
    case "other":
      return malformed(`The answer ended for a reason that is not known: ${finish.raw ?? "none"}.`);
    case "stop":
      return text === "" ? malformed("The answer is empty.") : { outcome: "success" };
    case "length":
      return { outcome: "success" };
    default:
      return malformed("The answer ended for a reason that is not known.");
  }
}
