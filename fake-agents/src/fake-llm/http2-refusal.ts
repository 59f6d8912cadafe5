/**
 * What a server that speaks HTTP/2 only sends to a caller that does not (RFC 9113, 3.4, 6.5 and 6.8): its SETTINGS, empty, and GOAWAY
 * with PROTOCOL_ERROR. To a reader of HTTP/1.1 it is no answer at all.
 */
export const http2Refusal: Uint8Array = Uint8Array.from([
  ...frame({ type: 0x4, payload: [] }),
  // Last stream 0, then error code 1.
  ...frame({ type: 0x7, payload: [0, 0, 0, 0, 0, 0, 0, 1] }),
]);

/** Length in three bytes, type, no flags, stream 0. */
function frame({ type, payload }: { readonly type: number; readonly payload: readonly number[] }) {
  return [0, 0, payload.length, type, 0, 0, 0, 0, 0, ...payload];
}
