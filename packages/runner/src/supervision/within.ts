import type { Clock } from "@bridle/kernel";

/** The promise's value, or undefined when it takes longer. Leaves no timer. The promise must not reject. */
export async function within<Value>(
  clock: Clock,
  ms: number,
  promise: Promise<Value>,
): Promise<Value | undefined> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(ms, () => resolve(undefined));
    const settle = (value: Value): void => {
      timer.cancel();
      resolve(value);
    };
    void promise.then(settle);
  });
}
