const traceparentPattern = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}$/;

/** The trace id of a W3C `traceparent`; undefined when it is absent or not valid, as the standard asks. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  const match = traceparentPattern.exec(traceparent ?? "");
  const [, traceId, spanId] = match ?? [];
  if (traceId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId ?? "")) return undefined;
  return traceId;
}
