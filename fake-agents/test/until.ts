/** Waits for a condition, never for a duration: the test's own timeout ends it. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- polling is the point
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 2));
}
