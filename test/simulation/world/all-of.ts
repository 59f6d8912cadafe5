/** Ports of the memory store are proxies over plain objects: their members are copied, not bound. */
export function allOf<Port extends object>(port: Port): Port {
  const members = Object.keys(port).map((name) => [name, Reflect.get(port, name)] as const);
  return Object.fromEntries(members) as Port;
}
