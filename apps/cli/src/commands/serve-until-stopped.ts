import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";

/** Something that was started and can be stopped: a whole installation, or one part. */
export interface Running {
  /** Resolves, with the reason, when it should be stopped and the process started anew. Absent: never. */
  readonly retired?: Promise<string>;
  /** Contract: bounded by the configured shutdown time; never rejects. */
  stop(): Promise<void>;
}

/**
 * Waits for a signal, or for what runs to retire, then stops in order. Listens from the beginning, so that a start can be stopped too: it is carried to
 * its end first. A second Ctrl-C ends the process at once: what runs is taken up by the next start, and isolates notice
 * that their worker is gone. Rejects with what kept it from starting.
 */
export async function serveUntilStopped(starting: Promise<Running>, io: Io): Promise<number> {
  const signalled = new Promise<number>((resolve) => {
    let interrupts = 0;
    io.onInterrupt(() => {
      interrupts += 1;
      if (interrupts > 1) return io.exitNow(exitCodes.interrupted);
      io.err("\nStopping. Runs in hand go on at the next start. Ctrl-C again leaves at once.\n");
      resolve(exitCodes.interrupted);
    });
    io.onTerminate(() => resolve(exitCodes.completed));
  });
  const running = await starting;
  const retired = running.retired?.then((reason) => {
    io.err(`\nStopping, to be started anew: ${reason}.\n`);
    return exitCodes.retired;
  });
  const exitCode = await (retired === undefined ? signalled : Promise.race([signalled, retired]));
  await running.stop();
  return exitCode;
}
