import { SimulatedClock } from "@bridle/kernel/testing";
import { Watchdog } from "@bridle/watchdog";

const clock = new SimulatedClock(); // a program passes `systemClock` from @bridle/kernel/system
const watchdog = new Watchdog({
  clock,
  emit: (event) => {
    if (event.type === "verdict")
      console.log(event.watchId, event.kind, event.layer, event.silentMs);
  },
});

const task = watchdog.watch({ id: "report", taskMs: 600_000, graceLeftMs: 0 });
task.beginStep({ kind: "tool", timeoutMs: 15_000 });
for (let beat = 0; beat < 20; beat++) {
  task.beat({ status: "RUNNING", step: 4 }); // it beats, but it is always the same step
  clock.advance(1000);
}
task.close();
watchdog.close();
