import { bridleError, errorTable, parseDuration, workflowSpecSchema } from "@bridle/protocol";

const spec = workflowSpecSchema.parse({
  name: "hello",
  timeout: { run: "1h30m" },
  tasks: [{ id: "greet", agent: "greeter" }],
});

const error = bridleError("rate_governed", { details: { retryAfterMs: 500 } });
console.log(spec.timeout.run, parseDuration("90s"), parseDuration("90"));
console.log(error.code, error.status, error.retryable, errorTable.rate_governed.message);
