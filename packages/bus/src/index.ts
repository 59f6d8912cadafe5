export { bridgeToFleetLog } from "./bridge-to-fleet-log.ts";
export type { FleetBridge, FleetBridgeOptions } from "./bridge-to-fleet-log.ts";
export type { Bus, BusOptions, Handler, HandlerFailure } from "./bus.ts";
export { createBus } from "./create-bus.ts";
