/** The agents of the world. Each is one way to behave; all effects go through `ctx`, all waiting through the process's clock. */
import { defineAgent, defineTool } from "@bridle/agent";
import type { AgentContext, AnyAgent, ChildTask } from "@bridle/agent";
import { sleep } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";

import { agentConcurrency, agentNames, childPlays } from "../scenario/plays.ts";
import type { Play, PlayInput } from "../scenario/plays.ts";
import { toPrompt } from "./call-tag.ts";
import type { Manner } from "./call-tag.ts";
import { modelOf } from "./provider.ts";

export interface CastOptions {
  readonly clock: Clock;
  /** A side effect that must happen once per task happened. */
  readonly onEffect: (effect: {
    readonly runId: string;
    readonly taskId: string;
    readonly name: string;
  }) => void;
  /** An agent that needs nothing but time went on. */
  readonly onTick: () => void;
  /** An agent killed the process it runs in. */
  readonly onKill: () => void;
}

type Context = AgentContext<PlayInput>;
type Acting = (context: Context, options: CastOptions) => Promise<unknown>;

export function castFor(options: CastOptions): readonly AnyAgent[] {
  return agentNames.map((name) =>
    defineAgent<PlayInput>({
      name,
      module: "file:///simulation/cast.js",
      isolation: "inline",
      trusted: true,
      concurrency: agentConcurrency(name),
      models: declaredModels[name],
      spawns: agentNames,
      tools,
      run: async (context, input) => acts[input.play](context, options),
    }),
  );
}

/** One agent declares nothing, one all it calls, one a part of it. */
const declaredModels: Readonly<Record<(typeof agentNames)[number], readonly string[]>> = {
  alpha: [],
  beta: ["large", "small"],
  gamma: ["small"],
};

const tools = {
  echo: defineTool({ name: "echo", description: "Gives back.", run: async (args) => args ?? null }),
  breaks: defineTool({
    name: "breaks",
    description: "Fails.",
    run: async () => {
      throw new Error("the tool broke");
    },
  }),
  sticks: defineTool({
    name: "sticks",
    description: "Never comes back.",
    timeoutMs: 3000,
    run: async () => new Promise<never>(() => {}),
  }),
};

async function call(context: Context, number: number, manner: Manner = "fair"): Promise<void> {
  const { input, trace } = context;
  const { runId, taskId, attempt } = trace;
  const prompt = toPrompt({ runId, taskId, attempt, call: number, manner });
  await context.llm(modelOf(input.n), { prompt });
}

async function calls(context: Context): Promise<void> {
  for (let number = 0; number < context.input.calls; number++) {
    // oxlint-disable-next-line no-await-in-loop -- one turn after the other, as agents work
    await call(context, number);
  }
}

async function childOf(context: Context, place: number): Promise<ChildTask> {
  const { n, failures } = context.input;
  const play = childPlays[(n + place) % childPlays.length] ?? "answers";
  const agent = agentNames[(n + place) % agentNames.length] ?? "alpha";
  const given: PlayInput = { play, calls: place % 3, failures, n: n + place + 1 };
  // Some are known by a name, some by what they are; some have money of their own.
  return context.spawn(agent, given, {
    ...(place % 2 === 0 ? { key: `child ${place}` } : {}),
    ...(n % 5 === 0 ? { budget: { maxCalls: 2 } } : {}),
    retry: { maxAttempts: 2, backoff: { type: "fixed", initial: "100ms" } },
  });
}

/** What may be refused is gone without; anything else it lets pass. */
function refusal(error: unknown): undefined {
  const { code = "" } = error as { readonly code?: string };
  if (code === "spawn_limit" || code === "budget_refused") return undefined;
  throw error;
}

/** What a dependent's expressions read, and which attempt it is from. */
function answer({ input, trace }: Context): object {
  return { n: input.n, list: [0, 1, input.n], attempt: trace.attempt };
}

async function never(): Promise<never> {
  return new Promise<never>(() => {});
}

async function aborted({ signal }: Context): Promise<never> {
  return new Promise<never>((_, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
}

const acts: Readonly<Record<Play, Acting>> = {
  answers: async (context) => {
    await calls(context);
    return answer(context);
  },
  flaky: async (context) => {
    await calls(context);
    if (context.trace.attempt <= context.input.failures) throw new Error("not yet");
    return answer(context);
  },
  fails: async (context) => {
    await calls(context);
    throw new Error("it never works");
  },
  odd_items_fail: async (context) => {
    if (context.input.n % 2 === 1) throw new Error("odd");
    await calls(context);
    return answer(context);
  },
  hangs: never,
  waits_for_abort: async (context) => {
    await calls(context);
    return aborted(context);
  },
  stalls: async (context, { clock }) => {
    for (;;) {
      context.heartbeat({ step: 1 });
      // oxlint-disable-next-line no-await-in-loop -- its way of standing still
      await sleep({ clock, ms: 2000 });
    }
  },
  late: async (context, { clock }) => {
    await sleep({ clock, ms: 70_000 });
    return answer(context);
  },
  crowds: async (context) => {
    await Promise.allSettled([0, 1, 2, 3].map(async (number) => call(context, number)));
    return answer(context);
  },
  loops: async (context) => {
    for (let number = 0; ; number++) {
      // oxlint-disable-next-line no-await-in-loop -- until somebody stops it
      await call(context, number);
    }
  },
  deaf: async (context, { clock }) => {
    for (let number = 0; number < 20; number++) {
      // oxlint-disable-next-line no-await-in-loop -- it swallows every refusal and asks again
      await call(context, number).catch(() => undefined);
      // oxlint-disable-next-line no-await-in-loop -- see above
      await sleep({ clock, ms: 500 });
    }
    return answer(context);
  },
  journals: async (context, { onEffect }) => {
    const { runId, taskId, attempt } = context.trace;
    await context.step("first", () => onEffect({ runId, taskId, name: "first" }) ?? 1);
    await calls(context);
    await context.step("second", () => onEffect({ runId, taskId, name: "second" }) ?? 2);
    if (attempt <= context.input.failures) throw new Error("after its effects");
    return answer(context);
  },
  journals_slowly: async (context, { clock, onEffect }) => {
    const { runId, taskId } = context.trace;
    await context.step("slow", async () => {
      onEffect({ runId, taskId, name: "slow" });
      await sleep({ clock, ms: 3000 });
      return 1;
    });
    if (context.trace.attempt <= context.input.failures) throw new Error("after its effect");
    return answer(context);
  },
  spawns: async (context) => {
    const { n, failures } = context.input;
    const children = [];
    for (let place = 0; place <= n % 4; place++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, so that a later attempt asks in the same order
      const child = await childOf(context, place).catch(refusal);
      if (child !== undefined) children.push(child);
    }
    await calls(context);
    // Some are left to themselves.
    if (n % 3 !== 0) await Promise.allSettled(children.map(async (child) => child.result()));
    if (context.trace.attempt <= failures) throw new Error("after its children");
    return answer(context);
  },
  thinks: async (context) => {
    await call(context, 0, "think");
    return answer(context);
  },
  ticks: async (context, { clock, onTick }) => {
    for (let number = 0; number < 40; number++) {
      // oxlint-disable-next-line no-await-in-loop -- it works, and asks for nothing
      await sleep({ clock, ms: 400 });
      if (context.signal.aborted) throw context.signal.reason as Error;
      onTick();
      context.heartbeat({ step: number });
    }
    return answer(context);
  },
  kills: async (context, { onKill }) => {
    await calls(context);
    if (context.trace.attempt > 2 * context.input.failures) return answer(context);
    onKill();
    return never();
  },
  pesters: async (context, { clock }) => {
    for (let number = 0; number < 16; number++) {
      // oxlint-disable-next-line no-await-in-loop -- as `deaf`, and in a hurry
      await call(context, number).catch(() => undefined);
      // oxlint-disable-next-line no-await-in-loop -- see above
      await sleep({ clock, ms: 20 });
    }
    return answer(context);
  },
  waits: async (context, { clock }) => {
    context.waiting("a person", clock.wallMs() + 4000);
    await sleep({ clock, ms: 3000 });
    await calls(context);
    return answer(context);
  },
  leaves: async (context) => {
    void call(context, 0).catch(() => undefined);
    return answer(context);
  },
  overspends: async (context) => {
    await call(context, 0, "overspend");
    await call(context, 1, "overspend");
    return answer(context);
  },
  tools: async (context) => {
    await context.tool("echo", { n: context.input.n });
    if (context.input.n > 6) await context.tool("sticks");
    if (context.input.n > 4) await context.tool("breaks");
    await calls(context);
    return answer(context);
  },
};
