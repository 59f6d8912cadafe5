import { systemClock } from "@bridle/kernel/system";
import { createLogger, createRedactor } from "@bridle/telemetry";

const redactor = createRedactor(["s3cr3t-of-acme"]);
const logger = createLogger({
  level: "info",
  clock: systemClock,
  redactor,
  destination: { write: (line) => console.log(line.trimEnd()) }, // default: standard error
});

const log = logger.child({ traceId: "4bf92f3577b34da6" });
log.warn("model call failed", {
  status: 401,
  body: "s3cr3t-of-acme is not a valid key",
  headers: { "x-api-key": "whatever it was" },
});
