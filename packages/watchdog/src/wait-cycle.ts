/**
 * The tasks that wait, each for the next, until the first is waited for again (WD-7). Empty when `from` is not among
 * them: a task that waits for a cycle is no part of it. `waitsFor` names what a task waits for now, if anything.
 */
export function waitCycle(
  from: string,
  waitsFor: (id: string) => string | undefined,
): readonly string[] {
  const members: string[] = [];
  const visited = new Set<string>();
  let id: string | undefined = from;
  while (id !== undefined && !visited.has(id)) {
    visited.add(id);
    members.push(id);
    id = waitsFor(id);
  }
  return id === from ? members : [];
}
