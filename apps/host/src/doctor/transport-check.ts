import { effectiveTransport, transportVariableFaults } from "@bridle/transport/environment";

import type { DoctorCheck } from "./finding.ts";

/** What is in force for the connections to model providers. */
export const transportCheck: DoctorCheck = {
  name: "transport",
  run: async ({ env }) => {
    // The configuration's check has told of them.
    if (transportVariableFaults(env).length > 0) return [];
    const details = effectiveTransport(env);
    const { connectMs, connectionsPerOrigin, proxy } = details;
    const finding = `Model calls connect within ${connectMs} ms, over at most ${connectionsPerOrigin} connections per provider, through ${proxy === "none" ? "no proxy" : `the proxy ${proxy}`}.`;
    return [{ code: "transport_limits", level: "ok", finding, details }];
  },
};
