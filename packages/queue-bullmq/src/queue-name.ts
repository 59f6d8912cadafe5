/**
 * The queue of an agent. BullMQ reserves `:`, and a name travels as a NOTIFY payload; agents' names may hold anything.
 * Different agents always have different queues.
 */
export function queueName(agent: string): string {
  return `agent-${encodeURIComponent(agent)}`;
}
