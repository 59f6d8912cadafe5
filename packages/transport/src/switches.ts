import type { Environment } from "./settings.ts";
import { TransportFailure } from "./transport-failure.ts";

/** Throws `invalid_setting` for what is neither. */
export function readForceIpv4(environment: Environment): boolean {
  const written = environment["BRIDLE_LLM_FORCE_IPV4"];
  if (written === undefined || written === "false") return false;
  if (written === "true") return true;
  throw new TransportFailure({
    code: "invalid_setting",
    message: "forceIpv4 (BRIDLE_LLM_FORCE_IPV4) must be true or false.",
  });
}
