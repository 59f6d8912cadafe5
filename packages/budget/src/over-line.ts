import { dimensions } from "@bridle/protocol";

import type { EnvelopeRecord } from "./ledger-state.ts";
import type { Dimension } from "./trip-line.ts";
import { tripLine } from "./trip-line.ts";

/** The dimension in which an envelope has reached its line. */
export function overLine(
  { settled, terms }: EnvelopeRecord,
  percent: number,
): Dimension | undefined {
  return dimensions.find(
    (dimension) =>
      settled[dimension] > 0 && settled[dimension] >= tripLine(terms.limit[dimension], percent),
  );
}
