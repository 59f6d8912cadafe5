import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";

/** Something that was started and can be stopped: a whole installation, or one part. */
export interface Running {
  /** Contract: bounded by the configured shutdown time; never rejects. */
  stop(): Promise<void>;
}

/**
 * Waits for a signal, then stops in order. Listens from the beginning, so that a start can be stopped too: it is carried to
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
  const exitCode = await signalled;
  await running.stop();
  return exitCode;
}
