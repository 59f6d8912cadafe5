import { proxyFor } from "./proxy-for.ts";
import { settingFaults, settings, valueOf, variableOf } from "./settings.ts";
import type { Environment, SettingName } from "./settings.ts";
import { readForceIpv4 } from "./switches.ts";

export interface TransportVariable {
  readonly name: string;
  /** Behind the call layer. */
  readonly fallback: string;
  readonly range: string;
  readonly meaning: string;
}

const context = (environment: Environment) => ({ isPort: true, environment });
const names = Object.keys(settings) as readonly SettingName[];

/** Every `BRIDLE_LLM_*` of the transport, for a reference page. */
export const transportVariables: readonly TransportVariable[] = [
  ...names.map((name) => {
    const { unit, least, most, meaning } = settings[name];
    const end = most === Number.MAX_SAFE_INTEGER ? "and more" : `to ${most}`;
    return {
      name: variableOf(name),
      fallback: String(valueOf(name, {}, context({}))),
      range: `${least} ${end}`,
      meaning: `${meaning} In ${unit}.${least === 0 ? " 0: no limit." : ""}`,
    };
  }),
  {
    name: "BRIDLE_LLM_FORCE_IPV4",
    fallback: "false",
    range: "`true` `false`",
    meaning: "Asks for IPv4 addresses only, where IPv6 is announced and does not work.",
  },
  {
    name: "BRIDLE_LLM_PROXY",
    fallback: "",
    range: "",
    meaning:
      "The http or https proxy of every model call, or `none`. Default: `HTTPS_PROXY`, with the exceptions of `NO_PROXY`.",
  },
];

/** What is wrong with these variables, by name; nothing when all may be used. */
export function transportVariableFaults(
  environment: Environment,
): readonly { readonly name: string; readonly message: string }[] {
  const numbers = settingFaults({}, context(environment)).map(({ name, message }) => ({
    name: variableOf(name),
    message,
  }));
  const others = [
    ["BRIDLE_LLM_FORCE_IPV4", () => readForceIpv4(environment)] as const,
    // Everybody's proxy may be none that we understand where no model is called.
    [
      "BRIDLE_LLM_PROXY",
      () => proxyOfModels({ BRIDLE_LLM_PROXY: environment["BRIDLE_LLM_PROXY"] }),
    ] as const,
  ];
  return [...numbers, ...others.flatMap(([name, read]) => faultsOf(name, read))];
}

/** What is in force: the numbers, the switch, and the proxy of model calls without its login. */
export function effectiveTransport(
  environment: Environment,
): Readonly<Record<string, number | boolean | string>> {
  return {
    ...Object.fromEntries(names.map((name) => [name, valueOf(name, {}, context(environment))])),
    forceIpv4: readForceIpv4(environment),
    proxy: proxyOfModels(environment)?.host ?? "none",
  };
}

/** Of a provider that nothing excepts by name. */
function proxyOfModels(environment: Environment): URL | undefined {
  const proxy = environment["BRIDLE_LLM_PROXY"];
  return proxyFor(new URL("https://provider.invalid"), { proxy, environment });
}

function faultsOf(
  name: string,
  read: () => unknown,
): readonly { readonly name: string; readonly message: string }[] {
  try {
    read();
    return [];
  } catch (error) {
    return [{ name, message: error instanceof Error ? error.message : String(error) }];
  }
}
