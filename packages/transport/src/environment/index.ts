/** What a host must know of the variables before it loads the transport, and undici with it. */
export { effectiveTransport, transportVariableFaults, transportVariables } from "../variables.ts";
export type { TransportVariable } from "../variables.ts";
