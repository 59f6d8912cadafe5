import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";

/** Something that was started and can be stopped: a whole installation, or one part. */
export interface Running {
  /** Contract: bounded by the configured shutdown time; never rejects. */
  stop(): Promise<void>;
}

/**
 * Waits for a signal, then stops in order. A second Ctrl-C ends the process at once: what runs is taken up by the next
 * start, and isolates notice that their worker is gone.
 */
export async function serveUntilStopped(running: Running, io: Io): Promise<number> {
  const exitCode = await new Promise<number>((resolve) => {
    let interrupts = 0;
    io.onInterrupt(() => {
      interrupts += 1;
      if (interrupts > 1) return io.exitNow(exitCodes.interrupted);
      io.err("\nStopping. Runs in hand go on at the next start. Ctrl-C again leaves at once.\n");
      resolve(exitCodes.interrupted);
    });
    io.onTerminate(() => resolve(exitCodes.completed));
  });
  await running.stop();
  return exitCode;
}
