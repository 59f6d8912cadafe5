/** `850 ms`, `12.3 s`, `4m 05s`, `2h 03m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(Math.floor(seconds % 60))}s`;
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** `$0.0123`: four digits, since one call costs fractions of a cent. */
export function formatUsd(nanoUsd: string | number): string {
  return `$${(Number(nanoUsd) / 1e9).toFixed(4)}`;
}

export function formatCount(value: string | number): string {
  return Number(value).toLocaleString("en-US");
}

/** Columns padded to their widest cell, two spaces apart. Cells hold plain text. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** Text as it is, anything else as JSON. Not yet safe to print. */
export function plainText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
