/** The workflows that are measured. Every task is the no-op agent. */
interface Task {
  readonly id: string;
  readonly agent: "noop";
  readonly dependsOn?: readonly string[];
  readonly forEach?: { readonly items: readonly number[]; readonly maxItems: number };
}

export interface Graph {
  readonly name: string;
  readonly tasks: readonly Task[];
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function noop(id: string, dependsOn?: readonly string[]): Task {
  return dependsOn === undefined ? { id, agent: "noop" } : { id, agent: "noop", dependsOn };
}

/** One root, `width` tasks behind it, one that waits for all of them. */
export function wideGraph(width: number): Graph {
  const middle = range(width).map((index) => noop(`middle_${index}`, ["root"]));
  const join = noop(
    "join",
    middle.map(({ id }) => id),
  );
  return { name: "wide", tasks: [noop("root"), ...middle, join] };
}

export function chainGraph(length: number): Graph {
  const tasks = range(length).map((index) =>
    noop(`hop_${index}`, index === 0 ? undefined : [`hop_${index - 1}`]),
  );
  return { name: "chain", tasks };
}

const layerWidth = 100;

/** Layers of a hundred; each task waits for two random ones of the layer before. */
export function layeredGraph(count: number): Graph {
  const draw = randomBelow(42);
  const tasks = range(count).map((index) => {
    const layer = Math.floor(index / layerWidth);
    if (layer === 0) return noop(`t${index}`);
    const from = (layer - 1) * layerWidth;
    const needs = new Set([from + draw(layerWidth), from + draw(layerWidth)]);
    return noop(
      `t${index}`,
      [...needs].map((need) => `t${need}`),
    );
  });
  return { name: "layers", tasks };
}

/** One task that fans out over a list. */
export function fanOutGraph(count: number): Graph {
  const forEach = { items: range(count), maxItems: count };
  return { name: "fan-out", tasks: [{ id: "each", agent: "noop", forEach }] };
}

/** The same graph each time: a generator of its own (the constants are Numerical Recipes'). */
function randomBelow(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
