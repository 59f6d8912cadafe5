import { createHash } from "node:crypto";

/**
 * Names of journalled steps, the same in every attempt that does the same: the n-th step of a name, the n-th call of a tool with the
 * same arguments.
 */
export class StepKeys {
  readonly #seen = new Map<string, number>();

  step(name: string): string {
    return this.#numbered(`step:${name}`);
  }

  /** `argsText` is canonical enough: the same code builds the same object in the same order. */
  tool(name: string, argsText: string): string {
    const hash = createHash("sha256").update(argsText).digest("hex").slice(0, 16);
    return this.#numbered(`tool:${name}:${hash}`);
  }

  /** `digest`: of what is asked for; the same again is another task, and something else in a later attempt is too. */
  spawn(agent: string, digest: string): string {
    return this.#numbered(`${agent}:${digest}`);
  }

  #numbered(key: string): string {
    const count = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, count);
    return count === 1 ? key : `${key}#${count}`;
  }
}
