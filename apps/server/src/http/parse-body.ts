import {
  bridleError,
  plainYamlAliases,
  plainYamlOptions,
  reasonUnreadable,
  refuseUnplainData,
} from "@bridle/protocol";
import { parseDocument } from "yaml";

export function parseJsonBody(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    refuseUnplainData(value);
    return value;
  } catch (error) {
    throw malformed("JSON", error);
  }
}

/** YAML 1.2 core schema, few aliases (each costs as often as it is used). */
export function parseYamlBody(text: string): unknown {
  try {
    const document = parseDocument(text, plainYamlOptions);
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault !== undefined) throw fault;
    const value: unknown = document.toJS(plainYamlAliases);
    refuseUnplainData(value);
    return value;
  } catch (error) {
    throw malformed("YAML", error);
  }
}

function malformed(language: string, error: unknown): Error {
  return bridleError("body_malformed", {
    message: `The body is not valid ${language}: ${reasonUnreadable(error)}`,
    cause: error,
  });
}
