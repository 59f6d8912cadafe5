/** W3C `traceparent` of one step (O1): undefined when the run's trace id is not one W3C knows. */
export function traceparent(traceId: string, step: number): string | undefined {
  if (!/^[0-9a-f]{32}$/.test(traceId) || /^0+$/.test(traceId)) return undefined;
  // A span id needs no more than to be different within its trace and not zero.
  const spanId = step.toString(16).padStart(16, "0");
  return `00-${traceId}-${spanId}-01`;
}
