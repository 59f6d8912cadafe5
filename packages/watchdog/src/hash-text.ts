/** 32-bit FNV-1a of a text's UTF-16 units, never 0. Two texts with one hash count as the same token: late, never wrong. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash | 0 || 1;
}
