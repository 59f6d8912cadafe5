import { CodedError, RingBuffer, sleep } from "@bridle/kernel";
import { seededRandom, sequenceIds, SimulatedClock } from "@bridle/kernel/testing";

const clock = new SimulatedClock(); // a program passes `systemClock` from @bridle/kernel/system
const ids = sequenceIds();
const random = seededRandom(7);

const newest = new RingBuffer<string>(2);
for (let draw = 0; draw < 3; draw += 1) newest.push(`${ids.next("draw")} ${random.next() < 0.5}`);

const hour = sleep({ clock, ms: 3_600_000 });
clock.advance(3_600_000);
await hour;

const error = new CodedError({
  code: "too_late",
  message: "The hour is over.",
  retryable: false,
  status: 504,
});
console.log(newest.size, clock.pendingTimers, CodedError.is(error), error.code);
