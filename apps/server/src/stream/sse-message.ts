export interface OutgoingMessage {
  readonly event: string;
  readonly data: unknown;
  /** Sequence number; left away for what is not in the log. */
  readonly seq?: number | undefined;
}

/** One server-sent message. JSON text has no line ends, so one `data:` line always holds it. */
export function sseMessage({ event, data, seq }: OutgoingMessage): string {
  const id = seq === undefined ? "" : `id: ${seq}\n`;
  return `${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
