import type { Route } from "./route.ts";

interface Place {
  readonly next: Map<string, Place>;
  route: Route | undefined;
}

/** Routes by their list of keys, one step a key: no key is joined to another for it. */
export class RouteMap {
  #root: Place = emptyPlace();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(keys: readonly string[]): Route | undefined {
    let place: Place | undefined = this.#root;
    for (const key of keys) {
      place = place.next.get(key);
      if (place === undefined) return undefined;
    }
    return place.route;
  }

  /** For keys that have none. */
  add(keys: readonly string[], route: Route): void {
    let place = this.#root;
    for (const key of keys) {
      const known = place.next.get(key);
      const next = known ?? emptyPlace();
      if (known === undefined) place.next.set(key, next);
      place = next;
    }
    place.route = route;
    this.#size += 1;
  }

  clear(): void {
    this.#root = emptyPlace();
    this.#size = 0;
  }
}

function emptyPlace(): Place {
  return { next: new Map(), route: undefined };
}
