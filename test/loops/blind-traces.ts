import { storedTraces } from "./stored-traces.ts";
import type { Trace } from "./trace.ts";

/**
 * Tools of the blind traces that change something outside, or may (a shell). Their author was not asked for it; it was decided by
 * the tools' names alone, before any of the traces was played.
 */
const effects = new Set([
  "ack",
  "add_note",
  "bash",
  "browser_click",
  "drain_node",
  "edit",
  "edit_file",
  "handle_return",
  "insert",
  "note",
  "push",
  "python",
  "reboot_node",
  "reset",
  "save_file",
  "start_deployment",
  "str_replace",
  "submit_job",
  "uncordon_node",
  "upload_object",
]);

/** Written without sight of the detector, and frozen: the detector is never changed for one of them. */
export function blindTraces(): readonly Trace[] {
  return storedTraces("blind").map(withEffects);
}

function withEffects(trace: Trace): Trace {
  const tools = trace.steps.flatMap((step) => (step.kind === "tool" ? [step.tool] : []));
  return { ...trace, effectTools: [...new Set(tools)].filter((tool) => effects.has(tool)) };
}
