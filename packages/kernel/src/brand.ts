declare const brand: unique symbol;

/** A primitive that the type checker keeps apart from other primitives of the same kind. */
export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };
