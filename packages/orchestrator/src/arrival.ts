import type { RunInput } from "@bridle/dag";
import type { TaskId } from "@bridle/protocol";

/** Something a run must fold, with what leaves the store when it is folded. */
export interface Arrival {
  readonly input: RunInput;
  /** Wall milliseconds, stamped when this scheduler received it. */
  readonly at: number;
  /** Inbox entry it came from; deleted by the commit that answers it. */
  readonly inboxId?: string | undefined;
  /** Timer it came from; cleared by that commit unless it is set anew. */
  readonly timerKey?: string | undefined;
  /** Resolved task envelopes and lists that its decisions need in the store. */
  readonly bodies?: readonly { readonly taskId: TaskId; readonly body: string }[] | undefined;
  /** The run's resolved output as JSON text. */
  readonly output?: string | undefined;
}
