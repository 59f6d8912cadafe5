import { AlertDesk } from "@bridle/alerts";
import { systemClock, systemRandom } from "@bridle/kernel/system";
import { createMemoryStore } from "@bridle/ports/testing";

const store = createMemoryStore({ clock: systemClock });
let take: (body: string) => void;
const taken = new Promise<string>((resolve) => {
  take = resolve;
});

const desk = new AlertDesk({
  store,
  receivers: [
    {
      name: "ops",
      wants: ({ severity }) => severity !== "info",
      timeoutMs: 10_000,
      send: async ({ body }) => {
        take(body);
        return { status: 204 };
      },
    },
  ],
  clock: systemClock,
  random: systemRandom,
  bootId: "boot_1",
  redact: (alert) => alert,
  onAlert: () => {},
  onError: (error) => console.error(error),
});

await store.fleet.append([
  { type: "guard.degraded", at: 0, guard: "watchdog", reason: "its thread ended" },
]);
desk.start();
const { id, severity, message } = JSON.parse(await taken);
await desk.stop();
console.log(id, severity, message);
