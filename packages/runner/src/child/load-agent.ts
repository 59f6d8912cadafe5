import { isAgentDefinition } from "@bridle/agent";
import type { AnyAgent } from "@bridle/agent";

/** The agent of that name from its module. Rejects with what the import threw, or with the module's line and what to export there. */
export async function loadAgent(moduleUrl: string, agentName: string): Promise<AnyAgent> {
  const exported = Object.values((await import(moduleUrl)) as Record<string, unknown>);
  const found = exported.filter(isAgentDefinition).find(({ name }) => name === agentName);
  if (found !== undefined) return found;
  throw new Error(
    `${moduleUrl}:1 exports no agent named "${agentName}": export the value of defineAgent from the file whose import.meta.url it carries.`,
  );
}
