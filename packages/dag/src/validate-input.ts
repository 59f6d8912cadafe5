import type { SpecIssue } from "@bridle/protocol";
import type { ErrorObject } from "ajv/dist/2020.js";

import { checkSize } from "./check-size.ts";
import { compileInputSchema } from "./compile-input-schema.ts";
import type { CompiledWorkflow } from "./compiled-workflow.ts";
import { IssueList } from "./issue-list.ts";
import { escapePointer } from "./template.ts";

/** Faults of a run's input against its workflow's schema, with pointers into the input; empty when there are none. */
export function validateInput(workflow: CompiledWorkflow, input: unknown): readonly SpecIssue[] {
  const oversize = checkSize(input);
  if (oversize !== undefined) return [oversize];
  if (workflow.inputSchema === undefined) return [];
  const compiled = compileInputSchema(workflow.inputSchema);
  if (!compiled.ok) {
    throw new Error(
      `The input schema of ${workflow.name} was accepted once and no longer compiles: ${compiled.faults[0]?.message}`,
    );
  }
  if (compiled.validate(input)) return [];
  const issues = new IssueList();
  for (const error of compiled.validate.errors ?? []) issues.add(issueOf(error));
  return issues.all;
}

function issueOf(error: ErrorObject): SpecIssue {
  const params: Readonly<Record<string, unknown>> = error.params;
  const missing = params["missingProperty"];
  if (error.keyword === "required" && typeof missing === "string") {
    return {
      pointer: `${error.instancePath}/${escapePointer(missing)}`,
      code: "required",
      message: `"${missing}" is missing.`,
    };
  }
  const extra = params["additionalProperty"] ?? params["unevaluatedProperty"];
  if (typeof extra === "string") {
    return {
      pointer: `${error.instancePath}/${escapePointer(extra)}`,
      code: "unknown_key",
      message: `"${extra}" is not expected.`,
    };
  }
  return {
    pointer: error.instancePath,
    code: "invalid_value",
    message: `It ${error.message ?? "is invalid"}.`,
  };
}
