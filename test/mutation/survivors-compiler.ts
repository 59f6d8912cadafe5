import type { Reason } from "./reason.ts";

/** Of what reads, checks and evaluates a workflow (package `dag`). */
export const compilerReasons: readonly Reason[] = [
  {
    package: "dag",
    reason: "Both ways end in the same answer.",
    mutants: [
      // The edges of a stand-in are those of what it replaces.
      'build-workflow.ts: dependsOn: [...(graph.dependencies.get(task.id) ?? ["Stryker was here"])].map(([id, when]) => ({',
      // A map that need not be one reads as an object does, and the library of today is not misled by __proto__.
      'cel-bindings.ts: const misread: readonly string[] = ["constructor", ""];',
      'cel-bindings.ts: if (typeof value !== "object" || value === null) return true;',
      "cel-bindings.ts: if (false) return value.some(isMisread);",
      "cel-bindings.ts: return true;",
      'check-degrade.ts: return { index, pointer, id, edges: ["Stryker was here"], raw };',
      "check-degrade.ts: if (!replace.has(id) && true) after.set(id, from);",
      'check-degrade.ts: for (const dependent of dependents.get(id) ?? ["Stryker was here"]) {',
      "check-references.ts: for (let start = 0; start <= targets.length; start += 31) {",
      // No union of the form has a branch in which these differ.
      "check-shape.ts: const missing = true && issue.input === undefined;",
      "check-shape.ts: branch.some(issue => issue.path.length > 0 || issue.keys !== undefined),",
      "check-shape.ts: const messages = branches.flatMap((branch) => branch.map((issue) => issue.message));",
      // No schema has a name, and no format is registered.
      "compile-input-schema.ts: addUsedSchema: true,",
      "compile-input-schema.ts: validateFormats: true,",
      // An index is read as any operand is.
      'expression.ts: if (node.op === "." || false) return this.#access(node, scope);',
      'expression.ts: if (node.op === "." || node.op === "") return this.#access(node, scope);',
      "expression.ts: return this.read(receiver, scope) ?? this.#all(args, inner);",
      "expression.ts: if (false) return undefined;",
      'expression.ts: if (false || object.args !== "tasks") return undefined;',
      'input-schema-policy.ts: if (typeof value !== "object" || false) return 0;',
      'input-schema-policy.ts: for (const part of reference.split("/").slice(1)) {',
      // Words whose lengths differ by more than the reach are farther apart than that.
      "suggest.ts: if (Math.abs(candidate.length - wanted.length) > bestDistance) continue;",
      // The walk ends at a task that it knows, and is cut off before it.
      'task-order.ts: for (const dependent of dependents.get(id) ?? ["Stryker was here"]) {',
      'task-order.ts: const path: string[] = ["Stryker was here"];',
      // An empty text beside an expression changes nothing of it.
      "template.ts: if (true) segments.push(text.slice(from, start));",
      "template.ts: if (start >= from) segments.push(text.slice(from, start));",
      "template.ts: if (true) segments.push(text.slice(from));",
      "template.ts: if (from <= text.length) segments.push(text.slice(from));",
      "template.ts: for (let index = from; index <= text.length; index += 1) {",
      "template.ts: while (index <= text.length && text.charAt(index) !== quote) {",
      "template.ts: } else if (false) {",
      'validate-input.ts: if (error.keyword === "required" && true) {',
    ],
  },
  {
    package: "dag",
    reason: "It asks for what cannot be missing there, because the types cannot say so.",
    mutants: [
      'build-workflow.ts: return task === undefined ? ["Stryker was here"] : [buildTask(task, { spec, graph })];',
      "build-workflow.ts: return false ? [] : [buildTask(task, { spec, graph })];",
      'build-workflow.ts: return (spec.degrade ?? ["Stryker was here"]).map(({ replace, with: standIn }) => {',
      "build-workflow.ts: .flatMap((id) => [...(graph.dependencies.get(id).keys() ?? [])])",
      'build-workflow.ts: .flatMap((id) => [...(graph.dependencies.get(id)?.keys() ?? ["Stryker was here"])])',
      'check-degrade.ts: const between = taskBetween(standIn.replace, graph, graph.order ?? ["Stryker was here"]);',
      "check-degrade.ts: for (const dependency of dependencies.get(id).keys() ?? []) {",
      'check-degrade.ts: for (const dependency of dependencies.get(id)?.keys() ?? ["Stryker was here"]) {',
      "check-degrade.ts: needs.delete(id);",
      "check-degrade.ts: if (needs.size === 0) free.push(dependent);",
      'check-references.ts: for (const reference of byTarget.get(target) ?? ["Stryker was here"]) {',
      "check-references.ts: if (graph.dependencies.get(reference.from).has(reference.to) === true) continue;",
      "check-references.ts: for (const dependency of graph.dependencies.get(id).keys() ?? []) {",
      'check-references.ts: for (const dependency of graph.dependencies.get(id)?.keys() ?? ["Stryker was here"]) {',
      "check-shape.ts: const { element, shape } = node.def ?? {};",
      "check-shape.ts: node = unwrapped(element ?? shape[String(part)]);",
      "check-shape.ts: return Object.keys(node?.def.shape ?? {});",
      "check-shape.ts: return Object.keys(node.def?.shape ?? {});",
      "check-shape.ts: const { innerType, options } = node.def ?? {};",
      "check-shape.ts: return options.find((option) => option.def.shape !== undefined);",
      'compile-input-schema.ts: return (errors ?? ["Stryker was here"]).map(({ instancePath, message }) => ({',
      'compile-input-schema.ts: message: `It ${message ?? ""}.`,',
      'task-order.ts: pointer: edges.byId.get(id).pointer ?? "/tasks",',
      'task-order.ts: pointer: edges.byId.get(id)?.pointer ?? "",',
      "task-order.ts: while (true && !seen.has(id)) {",
      "task-order.ts: const dependencies: Iterable<string> = edges.dependencies.get(id).keys() ?? [];",
      'task-order.ts: const dependencies: Iterable<string> = edges.dependencies.get(id)?.keys() ?? ["Stryker was here"];',
      'task-order.ts: const begin = path.indexOf(id ?? "Stryker was here!");',
      'task-order.ts: const first = cycle[0] ?? "Stryker was here!";',
      'task-order.ts: pointer: `${byId.get(first).pointer ?? "/tasks"}/dependsOn`,',
      'task-order.ts: pointer: `${byId.get(first)?.pointer ?? ""}/dependsOn`,',
      "template.ts: return false ? text : toJsonValue(only.evaluate(bindings));",
      "validate-input.ts: `The input schema of ${workflow.name} was accepted once and no longer compiles: ${compiled.faults[0].message}`,",
      'validate-input.ts: for (const error of compiled.validate.errors ?? ["Stryker was here"]) issues.add(issueOf(error));',
      'validate-input.ts: message: `It ${error.message ?? ""}.`,',
    ],
  },
  {
    package: "dag",
    reason: "A second check stands behind it, or the one before it lets nothing else through.",
    mutants: [
      // An id in use is a fault already, as is a circle of the tasks.
      "check-degrade.ts: const own = standIns;",
      "check-references.ts: if (false) return;",
      // Without a spec or an order there is a fault.
      "compile-workflow.ts: if (false || issues.all.length > 0) {",
      "compile-workflow.ts: if (spec === undefined && graph.order === undefined || issues.all.length > 0) {",
      "compile-workflow.ts: if (false || graph.order === undefined || issues.all.length > 0) {",
      "compile-workflow.ts: if (spec === undefined || false || issues.all.length > 0) {",
    ],
  },
  {
    package: "dag",
    reason: "No caller, and no input that the checks before it let through, gets there.",
    mutants: [
      // What the standard's own schema admits and our policy too does compile.
      "compile-input-schema.ts: } catch (error) {} finally {",
      "compile-input-schema.ts: return {};",
      'compile-input-schema.ts: return { ok: true, faults: [{ pointer: "", message }] };',
      "compile-input-schema.ts: return { ok: false, faults: [] };",
      "compile-input-schema.ts: return { ok: false, faults: [{}] };",
      'compile-input-schema.ts: return { ok: false, faults: [{ pointer: "Stryker was here!", message }] };',
      // The library parses no optional access, and refuses other variables itself.
      'expression.ts: if (false) return "Optional access is not supported.";',
      'expression.ts: if (node.op === ".?" && node.op === "[?]") return "Optional access is not supported.";',
      'expression.ts: if (false || node.op === "[?]") return "Optional access is not supported.";',
      'expression.ts: if (node.op === "" || node.op === "[?]") return "Optional access is not supported.";',
      'expression.ts: if (node.op === ".?" || false) return "Optional access is not supported.";',
      'expression.ts: if (node.op === ".?" || node.op === "") return "Optional access is not supported.";',
      'expression.ts: if (node.op === ".?" || node.op === "[?]") return "";',
      "expression.ts: if (false) return `${name}() needs a plain name as its first argument.`;",
      'expression.ts: if (variable.op !== "id") return `${name}() needs a plain name as its first argument.`;',
      'expression.ts: if (variable?.op !== "id") return ``;',
      // Where no pointer is given none is read.
      'template.ts: pointer = "Stryker was here!",',
      // No expression yields undefined or a function.
      "to-json-value.ts: if (each === null || false) return null;",
      "to-json-value.ts: if (true) return value;",
      "to-json-value.ts: throw new Error(``);",
    ],
  },
  {
    package: "dag",
    reason: "It saves time or memory and decides nothing.",
    mutants: [
      "check-degrade.ts: if (true) issues.add({ pointer: at, ...unknownTask(id, graph.byId.keys()) });",
      "check-degrade.ts: if (open.length > 0 || false || !haveCycle(standIns, graph)) return;",
      "check-degrade.ts: if (false) return graph;",
      "check-expressions.ts: } else if (true) {",
      "check-graph.ts: else if (true) issues.add({ pointer: edge.pointer, ...fault() });",
      "check-references.ts: if (false) continue;",
      "compile-input-schema.ts: } finally {}",
      "suggest.ts: if (false) continue;",
      "template.ts: if (false) return known;",
      "template.ts: if (true) cache.clear();",
      "template.ts: if (false) cache.clear();",
      "template.ts: if (cache.size > cacheSize) cache.clear();",
      "template.ts: if (cache.size < cacheSize) cache.clear();",
    ],
  },
  {
    package: "dag",
    reason: "A name that is only compared with others, or that nobody reads.",
    mutants: ['template.ts: override readonly name = "";'],
  },
  {
    package: "dag",
    reason:
      "A field that is absent, and one that is there and undefined, are the same once they are JSON.",
    mutants: ["issue-list.ts: this.#issues.push(false ? issue : { ...issue, suggestion });"],
  },
  {
    package: "dag",
    reason:
      "Half a million values or a hundred thousand edges find it, and nothing smaller does: tests of size take too long for each mutant.",
    mutants: [
      'check-graph.ts: code: "",',
      "check-graph.ts: message: ``,",
      "check-size.ts: values -= 1;",
      "check-size.ts: if (false || characters > specLimits.characters) return tooLarge;",
      "check-size.ts: if (values >= specLimits.values || characters > specLimits.characters) return tooLarge;",
    ],
  },
  {
    package: "dag",
    reason: "Found by a test that is newer than the kept result.",
    mutants: ['cel-bindings.ts: const misread: readonly string[] = ["", "__proto__"];'],
  },
];
