import { Ajv2020 } from "ajv/dist/2020.js";
import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";

import type { SchemaFault } from "./input-schema-policy.ts";

export type CompiledSchema =
  | { readonly ok: true; readonly validate: ValidateFunction }
  | { readonly ok: false; readonly faults: readonly SchemaFault[] };

// Unknown keywords and formats are annotations, as the standard has it. Nothing is registered under a name, so one
// workflow's schema never meets another's.
const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  logger: false,
  addUsedSchema: false,
  validateFormats: false,
});

export function compileInputSchema(schema: Readonly<Record<string, unknown>>): CompiledSchema {
  // A schema may name its own draft; it is read as 2020-12, of which the older ones are nearly a part.
  const { $schema: _draft, ...body } = schema;
  if (ajv.validateSchema(body) !== true) return { ok: false, faults: faultsOf(ajv.errors) };
  try {
    return { ok: true, validate: ajv.compile(body) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, faults: [{ pointer: "", message }] };
  } finally {
    // It would be kept for ever otherwise, by identity.
    ajv.removeSchema(body);
  }
}

function faultsOf(errors: readonly ErrorObject[] | null | undefined): SchemaFault[] {
  return (errors ?? []).map(({ instancePath, message }) => ({
    pointer: instancePath,
    message: `It ${message ?? "is invalid"}.`,
  }));
}
