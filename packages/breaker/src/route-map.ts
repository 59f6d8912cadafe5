import type { Route } from "./route.ts";

interface Place {
  readonly next: Map<string, Place>;
  route: Route | undefined;
}

/**
 * Routes by their list of keys, one step a key: no key is joined to another for it.
 *
 * The one found last is looked at first, for a task asks for the same again and again: comparing keys takes a third of
 * the time that looking them up takes.
 */
export class RouteMap {
  #root: Place = emptyPlace();
  #size = 0;
  #lastKeys: readonly string[] = [];
  #last: Route | undefined;

  get size(): number {
    return this.#size;
  }

  get(keys: readonly string[]): Route | undefined {
    if (this.#last !== undefined && areSame(keys, this.#lastKeys)) return this.#last;
    let place: Place | undefined = this.#root;
    for (const key of keys) {
      place = place.next.get(key);
      if (place === undefined) return undefined;
    }
    if (place.route !== undefined) this.#keep(keys, place.route);
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
    this.#last = undefined;
  }

  /** A copy of the keys: the caller may go on changing what it gave. */
  #keep(keys: readonly string[], route: Route): void {
    this.#lastKeys = [...keys];
    this.#last = route;
  }
}

function areSame(keys: readonly string[], others: readonly string[]): boolean {
  if (keys.length !== others.length) return false;
  for (let index = 0; index < keys.length; index += 1) {
    if (keys[index] !== others[index]) return false;
  }
  return true;
}

function emptyPlace(): Place {
  return { next: new Map(), route: undefined };
}
