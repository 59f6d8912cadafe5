import { customAlphabet } from "nanoid";

import type { Ids } from "../random.ts";

/** Letters and digits only: ids end up in queue job ids, file names and URLs. 16 of 62 characters are 95 bits. */
const body = customAlphabet("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 16);

/** Real identifiers. Only a composition root names it. */
export const systemIds: Ids = { next: (prefix) => `${prefix}_${body()}` };
