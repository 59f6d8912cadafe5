/** Waits for a condition, never for a duration: the test's own timeout ends it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    // oxlint-disable-next-line no-await-in-loop -- polling is the point
    await new Promise((resolve) => setImmediate(resolve));
  }
}
