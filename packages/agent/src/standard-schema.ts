/**
 * The Standard Schema interface (https://standardschema.dev), version 1: what zod, valibot, arktype and others answer to, so that
 * authors bring their own library and this package imports none.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** `items.0.name: expected a string`, one per fault, at most five. */
export function describeIssues(issues: readonly StandardIssue[]): string {
  return issues.slice(0, 5).map(describeIssue).join("; ");
}

function describeIssue({ path, message }: StandardIssue): string {
  if (path === undefined || path.length === 0) return message;
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
  return `${keys.join(".")}: ${message}`;
}
