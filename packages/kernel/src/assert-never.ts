/** Ends an exhaustive switch: a new member of the union becomes a compile error here. */
export function assertNever(value: never): never {
  throw new Error(
    `Unhandled case: ${JSON.stringify(value)}. A union gained a member that this switch does not know.`,
  );
}
