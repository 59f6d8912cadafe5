/** Eight tasks: a plan, four searches, a review, a translation and the report. */
export const researchWorkflow = {
  name: "research",
  input: { type: "object", required: ["topic"], properties: { topic: { type: "string" } } },
  budget: { maxTokens: 50_000, maxUsd: 1, maxCalls: 40 },
  tasks: [
    { id: "plan", agent: "planner", input: { topic: "${{ input.topic }}" } },
    {
      id: "search",
      agent: "searcher",
      dependsOn: ["plan"],
      forEach: { items: "${{ tasks.plan.output.queries }}", maxItems: 10 },
      input: { query: "${{ item }}" },
      concurrency: { limit: 4 },
    },
    {
      id: "review",
      agent: "reviewer",
      dependsOn: ["search"],
      input: { findings: "${{ tasks.search.output }}" },
    },
    {
      id: "translate",
      llm: { model: "small", prompt: "Translate to German.\nText: ${{ tasks.plan.output.title }}" },
      dependsOn: ["plan"],
    },
    {
      id: "report",
      agent: "writer",
      dependsOn: ["plan", "search", "review"],
      input: {
        title: "${{ tasks.plan.output.title }}",
        findings: "${{ tasks.search.output }}",
        remarks: "${{ tasks.review.output.remarks }}",
      },
    },
  ],
  output: {
    report: "${{ tasks.report.output.text }}",
    german: "${{ tasks.translate.output.text }}",
  },
} as const;

/** Two agents that go wrong beside each other; neither may take the other, or a third, with it. */
export const troubleWorkflow = {
  name: "trouble",
  onFailure: "continue",
  budget: { maxTokens: 50_000, maxUsd: 1, maxCalls: 100 },
  tasks: [
    { id: "dead-loop", agent: "dead-loop", input: {} },
    // Small enough that a provider that bills twice what was asked for reaches the line within seconds.
    {
      id: "blow-out",
      agent: "budget-blow-out",
      input: { model: "greedy", maxOutputTokens: 100 },
      budget: { maxTokens: 1500 },
    },
    { id: "neighbour", agent: "planner", input: { topic: "a quiet neighbour" } },
  ],
} as const;
