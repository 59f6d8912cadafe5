export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
}

/** A promise with its resolver beside it (`Promise.withResolvers` needs Node 22). */
export function deferred<Value>(): Deferred<Value> {
  let resolve: ((value: Value) => void) | undefined;
  const promise = new Promise<Value>((fulfil) => {
    resolve = fulfil;
  });
  // The executor has run by now; the type checker cannot know.
  return { promise, resolve: (value) => resolve?.(value) };
}
