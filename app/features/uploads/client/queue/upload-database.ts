/* oxlint-disable no-restricted-globals -- each function catches what they throw */

export const UPLOAD_DATABASE = "uploads";

export const legacyKey = (userId: string) => `uploads:${userId}`;

export async function mayHaveUploads(userId: string): Promise<boolean> {
  try {
    if (localStorage.getItem(legacyKey(userId)) !== null) return true;
    // Some browsers lack `databases`. Opening the database to check would create it.
    const databases = "databases" in indexedDB ? await indexedDB.databases() : [{ name: UPLOAD_DATABASE }];
    return databases.some(({ name }) => name === UPLOAD_DATABASE);
  } catch {
    return false;
  }
}

export function eraseUploads(): void {
  try {
    indexedDB.deleteDatabase(UPLOAD_DATABASE);
    for (const key of Object.keys(localStorage)) if (key.startsWith(legacyKey(""))) localStorage.removeItem(key);
  } catch {
    // Nothing is stored where the browser blocks site data.
  }
}

/* oxlint-enable no-restricted-globals */
