export { ensureInstallToken, readInstallToken } from "./install-token.ts";
export { createKey, readKeys, revokeKey, type NewKey, type StoredKey } from "./key-file.ts";
