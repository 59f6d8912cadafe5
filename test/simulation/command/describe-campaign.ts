import type { Tally } from "./tally.ts";

/** How far a campaign is, in one line. */
export function describeProgress(tally: Tally, seeds: number, seconds: number): string {
  const speed = tally.seeds / seconds;
  const left = speed === 0 ? "unknown" : describeSeconds((seeds - tally.seeds) / speed);
  return `${count(tally.seeds)} of ${count(seeds)} seeds, ${tally.failures.length} failed, ${speed.toFixed(1)} seeds/s, ${perCpu(tally.seeds, tally)} per CPU second, ${megabytes(tally)} MB, ${left} left`;
}

export function describeCampaign(tally: Tally, seconds: number): string {
  const per = (number: number): string => (number / seconds).toFixed(1);
  const failed = tally.failures.map(({ seed }) => seed).toSorted((left, right) => left - right);
  return [
    `${count(tally.seeds)} seeds, each played twice, in ${seconds.toFixed(1)} s: ${per(tally.seeds)} seeds/s, ${per(tally.runs)} runs/s`,
    `${count(tally.runs)} runs, ${count(tally.events)} events, ${count(tally.wireCalls)} model calls, ${(tally.simulatedMs / 3_600_000).toFixed(1)} hours of simulated time, counted once`,
    `${(tally.cpuMs / 1000).toFixed(1)} s of CPU: ${perCpu(tally.seeds, tally)} seeds, ${perCpu(tally.runs, tally)} runs per CPU second; at most ${megabytes(tally)} MB in a process`,
    `${failed.length} seed(s) failed${failed.length > 0 ? `: ${failed.join(" ")}` : ""}`,
  ].join("\n");
}

function perCpu(number: number, { cpuMs }: Tally): string {
  return cpuMs === 0 ? "0" : (number / (cpuMs / 1000)).toFixed(1);
}

function megabytes({ peakRssBytes }: Tally): string {
  return (peakRssBytes / 1e6).toFixed(0);
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}

function describeSeconds(seconds: number): string {
  return seconds < 120 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`;
}
