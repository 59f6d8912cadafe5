import { compileInputSchema } from "./compile-input-schema.ts";
import { schemaFaults } from "./input-schema-policy.ts";
import type { IssueList } from "./issue-list.ts";
import { isRecord } from "./read-tasks.ts";

/** A workflow's `input`: a JSON Schema (2020-12) within our policy. What is no object is a fault of form, told elsewhere. */
export function checkInputSchema(schema: unknown, issues: IssueList): void {
  if (!isRecord(schema)) return;
  const faults = schemaFaults(schema);
  for (const { pointer, message } of faults) {
    issues.add({ pointer: `/input${pointer}`, code: "schema_invalid", message });
  }
  if (faults.length > 0) return;
  const compiled = compileInputSchema(schema);
  if (compiled.ok) return;
  for (const { pointer, message } of compiled.faults) {
    issues.add({ pointer: `/input${pointer}`, code: "schema_invalid", message });
  }
}
