/** What a finder says about one tree. */
export type Verdict =
  | { readonly outcome: "found"; readonly by: string }
  | { readonly outcome: "missed"; readonly detail: string }
  /** Red, but for a reason that says nothing about the plant. */
  | { readonly outcome: "error"; readonly detail: string };
