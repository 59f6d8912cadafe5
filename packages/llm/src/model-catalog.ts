import type { ModelFamily, Price } from "@bridle/budget";
import type { ModelTarget } from "@bridle/ports";

/** One rung of a model's chain: where to ask, what it costs, how much it may say. */
export interface CatalogTarget {
  readonly target: ModelTarget;
  /** Undefined when nobody knows: nothing is sent there (BU-2). */
  readonly price: Price | undefined;
  /** Whose tokenizer counts. Default: the most careful estimate. */
  readonly family?: ModelFamily | undefined;
  /** Output asked for and reserved when the request names no limit; also the most a request may ask for. */
  readonly maxOutputTokens: number;
  /** Longest time without output (WD-9). Default: the caller's. */
  readonly noOutputMs?: number | undefined;
}

/** A configured model: targets in the order in which they are asked. */
export interface CatalogModel {
  readonly name: string;
  readonly chain: readonly CatalogTarget[];
  /** Name of the model that stands in for it when it cannot be paid or reached. */
  readonly cheaper?: string | undefined;
}

export interface ModelCatalog {
  find(name: string): CatalogModel | undefined;
}
