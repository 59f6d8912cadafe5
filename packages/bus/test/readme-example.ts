import { createBus } from "@bridle/bus";

const bus = createBus({ onHandlerError: ({ type }) => console.error("handler failed", type) });
const seen: string[] = [];
const stop = bus.on("alert", (event) => {
  seen.push(event.message);
});

bus.emit({ type: "alert", at: 0, severity: "warning", message: "budget is at 90 %" });
stop();
bus.emit({ type: "alert", at: 1, severity: "info", message: "nobody listens" });
console.log(seen); // ["budget is at 90 %"]
