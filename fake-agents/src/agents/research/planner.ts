import { defineAgent } from "@bridle/agent";

export interface PlannerInput {
  readonly topic: string;
}

export interface Plan {
  readonly title: string;
  readonly queries: readonly string[];
}

/** Turns a topic into a title and four queries. */
export const planner = defineAgent<PlannerInput, Plan>({
  name: "planner",
  module: import.meta.url,
  async run(ctx, { topic }) {
    const prompt = `Plan a small piece of research as JSON with a title and four queries.\nTopic: ${topic}`;
    const { text } = await ctx.llm("smart", { prompt, maxOutputTokens: 400 });
    return ctx.step("read-plan", () => readPlan(text), { repeatable: true });
  },
});

/** Throws when the model's text is no plan: an agent's own fault, worth another attempt. */
function readPlan(text: string): Plan {
  const plan = JSON.parse(text) as Partial<Plan>;
  if (typeof plan.title === "string" && Array.isArray(plan.queries)) {
    return { title: plan.title, queries: plan.queries.map(String) };
  }
  throw new Error(`The model did not answer with a plan: ${text.slice(0, 200)}`);
}
