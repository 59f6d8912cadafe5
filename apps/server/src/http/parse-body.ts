import { bridleError } from "@bridle/protocol";
import { parseDocument } from "yaml";

/** No real workflow or input nests deeper; code that walks values may recurse up to here. */
const maxDepth = 100;

export function parseJsonBody(text: string): unknown {
  try {
    return plainData(JSON.parse(text));
  } catch (error) {
    throw malformed("JSON", error);
  }
}

/** YAML 1.2 core schema: no custom tags, no merge keys, few aliases (each costs as often as it is used). */
export function parseYamlBody(text: string): unknown {
  try {
    const document = parseDocument(text, { schema: "core", merge: false, uniqueKeys: true });
    const [fault] = document.errors;
    if (fault !== undefined) throw fault;
    return plainData(document.toJS({ maxAliasCount: 100 }));
  } catch (error) {
    throw malformed("YAML", error);
  }
}

function malformed(language: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
  return bridleError("body_malformed", {
    message: `The body is not valid ${language}: ${reason}`,
    cause: error,
  });
}

/** Refuses values that would surprise code that walks them: endless nesting, keys that reach a prototype. */
function plainData(root: unknown): unknown {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null) continue;
    if (depth >= maxDepth) throw new Error(`it nests deeper than ${maxDepth} levels.`);
    if (Object.hasOwn(value, "__proto__")) throw new Error('the key "__proto__" is not allowed.');
    for (const child of Object.values(value)) open.push({ value: child, depth: depth + 1 });
  }
  return root;
}
