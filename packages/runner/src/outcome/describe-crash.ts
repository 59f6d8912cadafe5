import type { CodedError } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";

import type { IsolateEnd } from "../isolates/isolate.ts";

/** Shells and container runtimes report death by signal n as exit code 128 + n. */
const killedExitCode = 137;

/** Why an isolate that ended without an answer did so: signal, exit code, or what it was ended for (B173). */
export function describeCrash(end: IsolateEnd): CodedError {
  const details = {
    ...(end.exitCode === undefined ? {} : { exitCode: end.exitCode }),
    ...(end.signal === undefined ? {} : { signal: end.signal }),
    ...(end.stderrTail === "" ? {} : { stderr: end.stderrTail }),
  };
  if (end.fault?.startsWith("frame_invalid") === true) {
    return bridleError("frame_invalid", {
      message: `The agent's process was ended because it sent something that is no message. ${end.fault}`,
      details,
      retryable: true,
    });
  }
  return bridleError("child_crashed", { message: sentence(end), details });
}

function sentence({ exitCode, signal, fault }: IsolateEnd): string {
  if (fault !== undefined) return `The agent's process was ended: ${fault}.`;
  if (signal !== undefined) return `The agent's process was ended by ${signal} before it answered.`;
  if (exitCode === killedExitCode) {
    return "The agent's process ended with exit code 137 before it answered: killed, most often for want of memory.";
  }
  return `The agent's process ended with exit code ${exitCode ?? "unknown"} before it answered.`;
}
