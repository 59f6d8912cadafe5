import type { DemoReport } from "./run-demo.ts";

/**
 * What is wrong with a demo, one sentence each; empty when every guard did its work and the API's figures are the
 * provider's own. Paid tokens and calls are compared with what the provider counted.
 */
export function checkDemo({ research, trouble, provider }: DemoReport): readonly string[] {
  const stoppedBy = (task: string): string | undefined =>
    trouble.stopped.find((stopped) => stopped.task === task)?.guard;
  const neighbour = trouble.view.tasks.find(({ id }) => id === "neighbour");
  const paidTokens = provider.promptTokens + provider.completionTokens;
  const booked = research.spent.tokens + trouble.spent.tokens;
  const calls = research.modelCalls + trouble.modelCalls;
  const checks: readonly (readonly [boolean, string])[] = [
    [research.view.status === "COMPLETED", `The research run ended ${research.view.status}.`],
    [
      stoppedBy("dead-loop") === "watchdog",
      `The dead loop was stopped by ${stoppedBy("dead-loop") ?? "nobody"}, not by the watchdog.`,
    ],
    [
      stoppedBy("blow-out") === "budget",
      `The blow-out was stopped by ${stoppedBy("blow-out") ?? "nobody"}, not by the budget.`,
    ],
    [neighbour?.status === "COMPLETED", `The neighbour ended ${neighbour?.status ?? "nowhere"}.`],
    [booked === paidTokens, `The API shows ${booked} tokens; the provider billed ${paidTokens}.`],
    [
      calls === provider.requests,
      `The API shows ${calls} model calls; the provider counted ${provider.requests}.`,
    ],
    [
      research.reserved.tokens + trouble.reserved.tokens === 0,
      "Money is still held after both runs ended.",
    ],
    [provider.open === 0, `${provider.open} request(s) are still open at the provider.`],
  ];
  return checks.filter(([holds]) => !holds).map(([, sentence]) => sentence);
}
