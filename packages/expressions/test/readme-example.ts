import { createExpressions } from "@bridle/expressions";
import { systemClock } from "@bridle/kernel/system";

export async function example(): Promise<unknown> {
  const expressions = createExpressions({ clock: systemClock });
  const answer = await expressions.evaluate("${{ input.n + 1 }}", { input: { n: 1 } });
  await expressions.close();
  return answer; // { ok: true, value: 2 }
}
