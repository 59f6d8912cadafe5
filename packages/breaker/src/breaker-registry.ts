import type { Random } from "@bridle/kernel";

import { BreakerEntry } from "./breaker-entry.ts";
import { resolveBreakerSettings } from "./breaker-settings.ts";
import type { BreakerOverrides, BreakerSettings } from "./breaker-settings.ts";
import { parseKey } from "./parse-key.ts";
import { RouteMap } from "./route-map.ts";
import { Route } from "./route.ts";
import type { Asked } from "./route.ts";

/** An idle key is not forgotten before this: longer than any slow-traffic list and any cooldown of ours reaches back. */
const forgetAfterMs = 3_600_000;

export interface RegistryOptions {
  readonly random: Random;
  readonly settings?: Partial<BreakerSettings> | undefined;
  readonly settingsByKey?: Readonly<Record<string, Partial<BreakerSettings>>> | undefined;
  readonly maxKeys?: number | undefined;
}

/** Which breakers exist, and which of them a call must pass. */
export class BreakerRegistry {
  readonly #random: Random;
  readonly #given: Partial<BreakerSettings>;
  readonly #settings: BreakerSettings;
  readonly #settingsByKey: ReadonlyMap<string, BreakerSettings>;
  readonly #entries = new Map<string, BreakerEntry>();
  readonly #routes = new RouteMap();
  readonly #maxKeys: number;
  #sweepAbove: number;

  constructor(options: RegistryOptions) {
    this.#random = options.random;
    this.#given = options.settings ?? {};
    this.#settings = resolveBreakerSettings(options.settings);
    this.#settingsByKey = new Map(
      Object.entries(options.settingsByKey ?? {}).map(([key, settings]) => [
        parseKey(key).key,
        resolveBreakerSettings({ ...options.settings, ...settings }),
      ]),
    );
    this.#maxKeys = options.maxKeys ?? 4096;
    this.#sweepAbove = this.#maxKeys;
  }

  get size(): number {
    return this.#entries.size;
  }

  all(): readonly BreakerEntry[] {
    return [...this.#entries.values()];
  }

  /** Finds or makes the breaker of one key. @throws CodedError `request_invalid` for what is no key. */
  entry(key: string, nowMs: number): BreakerEntry {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.lastUsedMs = nowMs;
      return known;
    }
    return this.#add(key, this.#settingsByKey.get(key) ?? this.#settings, nowMs);
  }

  /** Makes the breaker of one key with these settings over the set's, unless the key has settings of its own or is known. */
  prepare(key: string, own: BreakerOverrides, nowMs: number): void {
    if (this.#entries.has(key)) return void this.entry(key, nowMs);
    const given = Object.entries(own).filter(([, value]) => value !== undefined);
    const settings =
      this.#settingsByKey.get(key) ??
      resolveBreakerSettings({ ...this.#given, ...Object.fromEntries(given) });
    this.#add(key, settings, nowMs);
  }

  #add(key: string, settings: BreakerSettings, nowMs: number): BreakerEntry {
    if (this.#entries.size >= this.#sweepAbove) this.#sweep(nowMs);
    const parsed = parseKey(key);
    const entry = new BreakerEntry({ parsed, settings, random: this.#random });
    entry.lastUsedMs = nowMs;
    this.#entries.set(key, entry);
    return entry;
  }

  /** What these keys led to before; undefined for new ones. Says nothing about when they were used. */
  knownRoute(keys: readonly string[]): Route | undefined {
    return this.#routes.get(keys);
  }

  /** The breakers of these keys and their umbrellas, each once, narrowest tier first (B5); used now. */
  route(keys: readonly string[], nowMs: number): Route {
    const known = this.#routes.get(keys);
    if (known !== undefined) {
      for (const { entry } of known.asked) entry.lastUsedMs = nowMs;
      return known;
    }
    const route = new Route(this.#resolve(keys, nowMs));
    if (this.#routes.size >= this.#maxKeys) this.#routes.clear();
    this.#routes.add(keys, route);
    return route;
  }

  #resolve(keys: readonly string[], nowMs: number): readonly Asked[] {
    const asked: Asked[] = [];
    for (const key of keys) {
      const entry = this.entry(key, nowMs);
      const { umbrella } = entry.parsed;
      insert(asked, { entry, source: "" });
      if (umbrella !== undefined) {
        insert(asked, { entry: this.entry(umbrella.key, nowMs), source: umbrella.source });
      }
    }
    return asked;
  }

  /** Forgetting costs a walk, so the next one waits until the number has doubled. */
  #sweep(nowMs: number): void {
    for (const [key, entry] of this.#entries) {
      if (entry.isForgettable(nowMs, forgetAfterMs)) this.#entries.delete(key);
    }
    // A route would go on asking a breaker that is forgotten, beside the one made anew.
    this.#routes.clear();
    this.#sweepAbove = Math.max(this.#maxKeys, 2 * this.#entries.size);
  }
}

/** Keeps the narrowest tier first, and each breaker once. There are at most a handful, and mostly in order. */
function insert(asked: Asked[], one: Asked): void {
  let place = asked.length;
  for (let index = asked.length - 1; index >= 0; index -= 1) {
    const other = asked[index];
    if (other?.entry === one.entry) return;
    if (other !== undefined && other.entry.parsed.rank > one.entry.parsed.rank) place = index;
  }
  asked.splice(place, 0, one);
}
