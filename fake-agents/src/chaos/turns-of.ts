import type { Place, Scenario } from "./scenario.ts";

/** Scenarios that are played side by side, so many at once. */
export interface Turn {
  readonly scenarios: readonly Scenario[];
  readonly lanes: number;
}

/** All in one turn; storms that nothing holds back follow one by one: whoever met them would be measured with them. */
export function turnsOf(
  scenarios: readonly Scenario[],
  { guards, parallel }: { readonly guards: Place["guards"]; readonly parallel: number },
): readonly Turn[] {
  const isApart = ({ isStorm }: Scenario): boolean => guards === "off" && isStorm === true;
  const together = scenarios.filter((scenario) => !isApart(scenario));
  const apart = scenarios.filter(isApart);
  return [
    { scenarios: together, lanes: parallel },
    ...apart.map((storm) => ({ scenarios: [storm], lanes: 1 })),
  ];
}
