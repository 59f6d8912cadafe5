import fc from "fast-check";
import { expect, it } from "vitest";

import { RunningMedian } from "../src/running-median.ts";
import { bench, repeat } from "./support.ts";
import type { Bench } from "./support.ts";

const agent = "agent:research/writer";
const chain = "chain:run_1";

/** Calls of `tokens` each, evenly over `seconds`. */
function burn(
  { call, clock }: Bench,
  options: { seconds: number; everySeconds: number; tokens: number; key?: string },
): void {
  const { seconds, everySeconds, tokens, key = agent } = options;
  repeat(seconds / everySeconds, () => {
    clock.advance(everySeconds * 1000);
    call("success", { key, tokens });
  });
}

/** Five minutes of one call of 1,000 tokens each five seconds: 200 tokens a second. */
function warm(key = agent): Bench {
  const made = bench();
  burn(made, { seconds: 300, everySeconds: 5, tokens: 1000, key });
  return made;
}

it("[BR-4] [B3] three times the tokens a second, in bigger calls, open", () => {
  const made = warm();
  burn(made, { seconds: 55, everySeconds: 5, tokens: 2900 });
  expect(made.view(agent).state).toBe("CLOSED");
  made.clock.advance(5000);
  made.call("success", { key: agent, tokens: 2990 });
  made.clock.advance(1000);

  made.call("success", { key: agent, tokens: 2900 });

  expect(made.events).toMatchObject([{ type: "breaker.open", triggers: ["burn_rate"] }]);
  made.set.close();
});

it("[BR-4] three times the calls of the usual size are traffic: they do not open", () => {
  const made = warm();
  burn(made, { seconds: 120, everySeconds: 1, tokens: 1000 });

  expect(made.view(agent)).toMatchObject({ state: "CLOSED" });
  expect(made.view(agent).totals.tokens).toBe(60_000);
});

it.each([
  { tokens: 1450, state: "CLOSED" },
  { tokens: 1650, state: "OPEN" },
])(
  "[BR-4] ten times the calls, then of $tokens instead of 1,000 tokens: $state",
  ({ tokens, state }) => {
    const made = warm();
    burn(made, { seconds: 60, everySeconds: 0.5, tokens: 1000 });
    expect(made.view(agent).state).toBe("CLOSED");
    repeat(119, () => {
      if (made.view(agent).state === "CLOSED") {
        burn(made, { seconds: 0.5, everySeconds: 0.5, tokens });
      }
    });

    expect(made.view(agent).state).toBe(state);
    made.set.close();
  },
);

it.each([
  { tokens: 20_999, state: "CLOSED" },
  { tokens: 21_000, state: "OPEN" },
])("[BR-4] one call of $tokens tokens where 7,000 are usual: $state", ({ tokens, state }) => {
  const made = bench();
  burn(made, { seconds: 600, everySeconds: 60, tokens: 7000 });

  made.call("success", { key: agent, tokens });

  expect(made.view(agent).state).toBe(state);
  made.set.close();
});

it("[BR-4] below ten earlier calls there is nothing to compare with", () => {
  const made = bench();
  burn(made, { seconds: 9, everySeconds: 1, tokens: 1000 });
  made.call("success", { key: agent, tokens: 90_000 });
  expect(made.view(agent).state).toBe("CLOSED");

  made.call("success", { key: agent, tokens: 90_000 });
  expect(made.view(agent).state).toBe("OPEN");
  made.set.close();
});

it.each([
  { envelopeTokens: undefined, state: "CLOSED" },
  { envelopeTokens: 1_000_000, state: "CLOSED" },
  { envelopeTokens: 100_000, state: "OPEN" },
])(
  "[BR-4] 4,500 tokens in the window from an envelope of $envelopeTokens: $state",
  ({ envelopeTokens, state }) => {
    const made = bench();
    burn(made, { seconds: 100, everySeconds: 10, tokens: 10 });

    made.call("success", { key: agent, tokens: 4500, envelopeTokens });

    expect(made.view(agent).state).toBe(state);
    made.set.close();
  },
);

it("[BR-4] hours of silence are not history: the usual call after them opens nothing", () => {
  const made = bench();
  repeat(30, () => {
    made.clock.advance(3_600_000);
    made.call("success", { key: agent, tokens: 20_000 });
  });
  made.clock.advance(3_600_000);
  made.call("success", { key: agent, tokens: 35_000 });

  expect(made.view(agent).state).toBe("CLOSED");
});

it("[BR-4] burning is judged per agent and per chain, not for tools, providers or umbrellas", () => {
  const keys = [agent, chain, "tool:search", "provider:anthropic/sonnet"];
  const states = keys.map((key) => {
    const made = warm(key);
    made.call("success", { key, tokens: 200_000 });
    made.set.close();
    return made.view(key).state;
  });

  expect(states).toEqual(["OPEN", "OPEN", "CLOSED", "CLOSED"]);
  const umbrella = warm();
  umbrella.call("success", { key: agent, tokens: 200_000 });
  expect(umbrella.view("agent:writer").state).toBe("CLOSED");
  umbrella.set.close();
});

it("[BR-4] a chain does not open on failures: those are its agents', tools' and providers'", () => {
  const { call, view } = bench();
  repeat(50, () => call("failure", { key: chain }));

  expect(view(chain).state).toBe("CLOSED");
});

it.each([
  { tokens: 3001, state: "OPEN", kind: "still_burning" },
  { tokens: 3000, state: "HALF_OPEN", kind: undefined },
])(
  "[BR-10] a burn-opened breaker's probe of $tokens tokens, 1,000 being usual: $state",
  ({ tokens, state, kind }) => {
    const made = warm();
    made.call("success", { key: agent, tokens: 60_000 });
    made.clock.advance(30_000);

    made.call("success", { key: agent, tokens });

    expect(made.view(agent).state).toBe(state);
    const last = made.events.at(-1);
    expect(last?.type === "breaker.open" ? last.evidence["probe_failed"] : undefined).toEqual(
      kind === undefined ? undefined : { kind },
    );
    made.set.close();
  },
);

it("[BR-8] [BR-4] the baseline survives an episode: what burned before burns after", () => {
  const made = warm();
  made.call("success", { key: agent, tokens: 60_000 });
  made.clock.advance(30_000);
  repeat(2, () => made.call("success", { key: agent, tokens: 1000 }));
  expect(made.view(agent).state).toBe("CLOSED");

  made.call("success", { key: agent, tokens: 60_000 });

  expect(made.view(agent).state).toBe("OPEN");
  made.set.close();
});

it.each([
  { looks: 0, state: "OPEN" },
  { looks: 240, state: "OPEN" },
])(
  "[BR-4] what burned during an episode is not history, however often somebody looked ($looks times): $state",
  ({ looks, state }) => {
    const made = warm();
    made.call("success", { key: agent, tokens: 600_000 });
    repeat(5, (round) => {
      made.clock.advance(30_000 * 2 ** round);
      repeat(looks / 5, () => {
        made.clock.advance(500);
        made.view(agent);
      });
      if (round < 4) made.call("failure", { key: agent });
    });
    repeat(2, () => made.call("success", { key: agent, tokens: 1000 }));
    expect(made.view(agent).state).toBe("CLOSED");

    burn(made, { seconds: 60, everySeconds: 5, tokens: 2990 });
    made.clock.advance(1000);
    made.call("success", { key: agent, tokens: 2990 });

    expect(made.view(agent).state).toBe(state);
    made.set.close();
  },
);

it("[BR-10] a breaker that failures opened does not ask its probes for thrift", () => {
  const made = warm();
  repeat(5, () => made.call("failure", { key: agent }));
  made.clock.advance(30_000);
  repeat(2, () => made.call("success", { key: agent, tokens: 10_000 }));

  expect(made.view(agent).state).toBe("CLOSED");
});

it("the running median equals the median of the last values, sorted anew each time", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(20), { maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      (values, capacity) => {
        const median = new RunningMedian(capacity);
        values.forEach((value, index) => {
          median.push(value);
          const last = values
            .slice(Math.max(0, index + 1 - capacity), index + 1)
            .toSorted((one, other) => one - other);
          const middle = Math.floor(last.length / 2);
          const even = ((last[middle - 1] ?? 0) + (last[middle] ?? 0)) / 2;
          expect(median.value).toBe(last.length % 2 === 1 ? last[middle] : even);
        });
      },
    ),
  );
});
