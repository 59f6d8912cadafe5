import type { Plant } from "../plant.ts";
import type { Finding, Sabotage } from "../sabotage.ts";
import type { Verdict } from "../verdict.ts";

/** What a plant breaks, in a word: a rule's id or an arrow of the protocol. */
export function breaks(plant: Plant): string {
  return plant.finder === "tests" ? plant.rule : `arrow: ${plant.arrow}`;
}

function said(verdict: Verdict): string {
  return verdict.outcome === "found"
    ? verdict.by
    : `${verdict.outcome.toUpperCase()}: ${verdict.detail}`;
}

export function reportText({ red, findings }: Sabotage): string {
  if (red.length > 0) return ["Nothing was planted.", ...red].join("\n");
  const rows = findings.map(({ plant, verdict, seconds }) => [
    plant.name,
    breaks(plant),
    seconds.toFixed(1),
    said(verdict),
  ]);
  const found = findings.filter(({ verdict }) => verdict.outcome === "found").length;
  return [
    "",
    ...table([["plant", "breaks", "seconds", "found by"], ...rows]),
    "",
    `${found} of ${findings.length} plants found`,
  ].join("\n");
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  "),
  );
}

/** The table of `docs/proofs.md`. */
export function reportMarkdown({ red, findings }: Sabotage): string {
  if (red.length > 0) return reportText({ red, findings });
  const rows = findings.map(({ plant, verdict }) => [
    `\`${plant.name}\``,
    breaks(plant),
    plant.why,
    said(verdict).replaceAll("|", "\\|"),
  ]);
  const head = ["plant", "breaks", "what it would do", "found by"];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

export function reportJson({ red, findings }: Sabotage): string {
  const plants = findings.map(({ plant, verdict, seconds }: Finding) => ({
    name: plant.name,
    breaks: breaks(plant),
    seconds: Math.round(seconds * 10) / 10,
    ...verdict,
  }));
  return JSON.stringify({ red, plants }, null, 2);
}
