/** SIGKILL to a process group, or to the process alone where there are no groups. False when it was gone already. */
export function killGroup(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 2 || pid === process.pid) return false;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
    return true;
  } catch {
    // ESRCH: gone. EPERM: not ours any more, so not what was watched.
    return false;
  }
}
