/**
 * The thread that evaluates. It holds nothing between requests and may be terminated at any instruction.
 */
import { parentPort } from "node:worker_threads";

import { evaluateTemplate } from "@bridle/dag/templates";

import type { EvaluationRequest, EvaluatorMessage } from "./worker-protocol.ts";

const port = parentPort;
if (port === null) throw new Error("evaluator-thread runs only as a worker thread.");

function say(message: EvaluatorMessage): void {
  port?.postMessage(message);
}

function answer({ template, bindings }: EvaluationRequest): string {
  const parsed = JSON.parse(bindings) as Record<string, unknown>;
  return JSON.stringify(evaluateTemplate(JSON.parse(template), parsed));
}

// A first evaluation compiles and warms what every later one uses, before any clock runs.
for (let round = 0; round < 50; round += 1) {
  answer({
    id: 0,
    template: JSON.stringify({
      warm: "${{ input.list.filter(x, x > 1).map(x, x + 1) }} ${{ index }}",
    }),
    bindings: JSON.stringify({ input: { list: [1, 2, 3] }, index: round }),
  });
}

port.on("message", (request: EvaluationRequest) => {
  say({ type: "begun", id: request.id });
  say({ type: "done", id: request.id, answer: answer(request) });
});
say({ type: "ready" });
