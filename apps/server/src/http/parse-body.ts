import { bridleError, plainYaml, reasonUnreadable, refuseUnplainData } from "@bridle/protocol";
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
    return plainYaml(text, parseDocument);
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
