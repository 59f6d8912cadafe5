import { CodedError } from "@bridle/kernel";
import {
  runEnvelopeTerms,
  taskEnvelopeTerms,
  unlimited,
  workflowSpecSchema,
} from "@bridle/protocol";
import type { LimitsSpec } from "@bridle/protocol";
import { describe, expect, test } from "vitest";

const minimal = { name: "demo", tasks: [{ id: "a", agent: "x" }] };
const budgetOf = (budget: object) => workflowSpecSchema.parse({ ...minimal, budget }).budget;

describe("from a budget to the terms of an envelope", () => {
  test("[BU-9] the credit is used as the run says, at all its levels", () => {
    const strict = runEnvelopeTerms(budgetOf({ creditMode: "strict", onExceeded: "degrade" }));
    expect(strict).toMatchObject({ creditMode: "strict", onTrip: "ladder" });
    expect(taskEnvelopeTerms({ maxCalls: 3 }, strict)).toEqual({
      limit: { tokens: unlimited, nanoUsd: unlimited, calls: 3 },
      creditMode: "strict",
      onTrip: "ladder",
    });
    expect(runEnvelopeTerms(budgetOf({ onTrip: "cache" })).onTrip).toBe("cache");
    expect(runEnvelopeTerms(budgetOf({}))).toMatchObject({
      creditMode: "credit",
      onTrip: "nothing",
    });
  });

  const bad: readonly [LimitsSpec, string, number][] = [
    [{ maxTokens: 0 }, "maxTokens", 0],
    [{ maxTokens: -5 }, "maxTokens", -5],
    [{ maxTokens: 1.5 }, "maxTokens", 1.5],
    [{ maxTokens: Number.NaN }, "maxTokens", Number.NaN],
    [{ maxTokens: 2 ** 53 }, "maxTokens", 2 ** 53],
    [{ maxCalls: 0 }, "maxCalls", 0],
    [{ maxCalls: Number.POSITIVE_INFINITY }, "maxCalls", Number.POSITIVE_INFINITY],
    [{ maxUsd: 0 }, "maxUsd", 0],
    [{ maxUsd: -1 }, "maxUsd", -1],
    [{ maxUsd: 1e-10 }, "maxUsd", 1e-10],
    [{ maxUsd: 9_500_000 }, "maxUsd", 9_500_000],
  ];

  test.each(bad)("[BU-1] [BU-3] %j is refused with its name and value", (limits, key, value) => {
    for (const terms of [
      () => runEnvelopeTerms(limits),
      () => taskEnvelopeTerms(limits, runEnvelopeTerms()),
    ]) {
      expect(terms).toThrow(CodedError);
      expect(terms).toThrow(
        expect.objectContaining({
          code: "config_invalid",
          message: expect.stringContaining(`${key} is ${value};`),
          details: { key, value },
        }),
      );
    }
    const parsed = workflowSpecSchema.safeParse({ ...minimal, budget: limits });
    expect(parsed.error?.issues.map(({ path }) => path.join("."))).toContain(`budget.${key}`);
  });
});
