import { setMaxListeners } from "node:events";

import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph";

import type { Graph } from "./graphs.ts";

// It listens to one abort signal per task of a step and warns of itself beyond ten.
setMaxListeners(0);

const State = Annotation.Root({
  done: Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
});

/** The same graph in LangGraph.js with a checkpoint per step in memory: nothing survives the process. */
export async function langGraphRuns(graph: Graph, runs: number): Promise<number> {
  const builder = new StateGraph(State) as StateGraph<
    typeof State,
    typeof State.State,
    typeof State.Update,
    string
  >;
  const needed = new Set(graph.tasks.flatMap(({ dependsOn = [] }) => dependsOn));
  for (const { id } of graph.tasks) builder.addNode(id, () => ({ done: 1 }));
  for (const { id, dependsOn = [] } of graph.tasks) {
    if (dependsOn.length === 0) builder.addEdge(START, id);
    // A list of starts: the node waits for all of them.
    else builder.addEdge([...dependsOn], id);
    if (!needed.has(id)) builder.addEdge(id, END);
  }
  const app = builder.compile({ checkpointer: new MemorySaver() });
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: runs }, async (_, run) => {
      const config = { configurable: { thread_id: `${run}` }, recursionLimit: 1000 };
      const { done } = await app.invoke({ done: 0 }, config);
      if (done !== graph.tasks.length)
        throw new Error(`LangGraph.js ran ${done} of ${graph.tasks.length} tasks.`);
    }),
  );
  return performance.now() - startedMs;
}
