import type { DoctorCheck } from "./finding.ts";

const leastNode = [20, 19] as const;

export const versionsCheck: DoctorCheck = {
  name: "versions",
  run: async () => {
    const { versions, platform, arch } = process;
    const finding = `Node ${versions.node} on ${platform} ${arch}.`;
    if (isEnough(versions.node)) return [{ code: "node_supported", level: "ok", finding }];
    const todo = `Install Node ${leastNode.join(".")} or newer.`;
    return [{ code: "node_too_old", level: "act", finding, todo }];
  },
};

export function isEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1]);
}
