import { sleep } from "@bridle/kernel";
import type { Health, Readiness } from "@bridle/protocol";

import type { ApiContext, ApiRequest } from "./route-context.ts";

/**
 * B178: liveness looks at this process only. A store that is down must not make an orchestrator restart every server at
 * once; that is what readiness is for.
 */
export async function healthz({ reply }: ApiRequest, { parts }: ApiContext): Promise<Health> {
  const problems = parts()
    .filter(({ isAlive }) => !isAlive)
    .map(({ name }) => `The ${name} does not turn any more; restart this process.`);
  return verdict(reply, problems);
}

export async function readyz({ reply }: ApiRequest, context: ApiContext): Promise<Readiness> {
  const problems = context
    .parts()
    .filter(({ isReady }) => !isReady)
    .map(({ name }) => `The ${name} is not ready.`);
  if (context.draining.aborted) problems.push("This process is shutting down.");
  const storeProblem = await probeStore(context);
  if (storeProblem !== undefined) problems.push(storeProblem);
  return { ...verdict(reply, problems), durability: context.durability };
}

function verdict(reply: ApiRequest["reply"], problems: readonly string[]): Health {
  if (problems.length > 0) void reply.code(503);
  return { status: problems.length === 0 ? "ok" : "failing", problems: [...problems] };
}

async function probeStore({ store, clock, limits }: ApiContext): Promise<string | undefined> {
  const answered = new AbortController();
  const late = sleep({ clock, ms: limits.probeMs, signal: answered.signal }).then(
    () => `The store did not answer within ${limits.probeMs} ms.`,
    () => undefined,
  );
  const answer = store.ping().then(
    () => undefined,
    // Without the error's text: this route needs no key, and a driver's message may name hosts and users.
    () => "The store does not answer.",
  );
  const problem = await Promise.race([answer, late]);
  answered.abort();
  return problem;
}
