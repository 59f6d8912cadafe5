type Defined<Values> = { [Key in keyof Values]?: Exclude<Values[Key], undefined> };

/** The members that have a value: a default laid beneath them is then not overwritten by `undefined`. */
export function withoutUndefined<Values extends object>(values: Values): Defined<Values> {
  const defined = Object.entries(values).filter(([, value]) => value !== undefined);
  // Safe: only members without a value were left out.
  return Object.fromEntries(defined) as Defined<Values>;
}
