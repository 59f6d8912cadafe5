import { describeShortage } from "@bridle/budget";
import type { CodedError } from "@bridle/kernel";
import { bridleError, isOuterScope } from "@bridle/protocol";
import type { ReserveRefusal } from "@bridle/protocol";

/** A refused reservation as the error the agent sees, with level and figures (BU-8). */
export function refusalError(refusal: ReserveRefusal): CodedError {
  const details = { ...refusal };
  if (refusal.refusal === "fenced") return bridleError("fenced", { details });
  if (refusal.refusal === "closed") return bridleError("envelope_closed", { details });
  return bridleError("budget_refused", { message: sentence(refusal), details });
}

function sentence(refusal: ReserveRefusal): string {
  const { envelope, dimension, requested, settled, reserved, limit } = refusal;
  if (dimension === "none") return `The envelope "${envelope}" is ${refusal.refusal}.`;
  if (isOuterScope(envelope)) {
    return describeShortage({ scope: envelope, dimension, given: settled, limit });
  }
  return `The envelope "${envelope}" cannot pay (${refusal.refusal}): ${requested[dimension]} ${dimension} asked, ${settled[dimension]} spent, ${reserved[dimension]} reserved, limit ${limit[dimension]}.`;
}
