import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 bits in letters and digits that survive a double click and a URL. */
export function newSecret(): string {
  const alphabet = "0123456789abcdefghijklmnopqrstuv";
  return [...randomBytes(52)].map((byte) => alphabet[byte & 31]).join("");
}

/**
 * A plain hash is enough: the secret has 256 random bits, so there is nothing to guess that a slow hash would protect
 * (unlike a password), and a request must not cost 100 ms.
 */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Compares in the same time wherever they differ. */
export function isSameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, "hex"), Buffer.from(right, "hex")];
  return a.length === b.length && a.length > 0 && timingSafeEqual(a, b);
}
