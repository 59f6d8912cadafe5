import { BreakerSet, breakerOpenError, Governor, routeOutcome } from "@bridle/breaker";
import { systemClock, systemRandom } from "@bridle/kernel/system";

const breakers = new BreakerSet({
  clock: systemClock,
  random: systemRandom,
  emit: (event) => console.log(event.type, "triggers" in event ? event.triggers : ""),
});
const governor = new Governor({ clock: systemClock });

/** One guarded call: governor, then breaker; whoever refuses later gives back what was taken. */
async function guarded(task: string, call: () => Promise<string>): Promise<string> {
  const rate = governor.admitCall(task);
  if (!rate.allowed) throw new Error(`Too fast; again in ${rate.retryAfterMs} ms.`);
  const admission = breakers.acquire(["provider:acme/small"]);
  if (!admission.allowed) {
    rate.giveBack();
    throw breakerOpenError(admission);
  }
  try {
    const text = await call();
    admission.permit.end("success", { completedProgress: true });
    return text;
  } catch (error) {
    admission.permit.end(routeOutcome({ kind: "model", outcome: "server_error" }));
    throw error;
  }
}

let sent = 0;
for (let attempt = 1; attempt <= 7; attempt += 1) {
  const call = async (): Promise<string> => {
    sent += 1;
    throw new Error("503");
  };
  await guarded("run_1/plan", call).catch((error: Error) => console.log(attempt, error.message));
}
console.log("sent", sent); // sent 5
breakers.close();
