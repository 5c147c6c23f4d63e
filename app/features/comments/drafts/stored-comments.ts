/* oxlint-disable no-restricted-globals -- each function catches the errors of localStorage */

const PREFIX = "comments:";
export const draftKey = (userId: string, place: string) => `${PREFIX}${userId}:draft:${place}`;
export const unsentKey = (userId: string, key = "") => `${PREFIX}${userId}:unsent:${key}`;

/** Removes other users' comments from this browser. Returns whether this user has unsent comments. */
export function prepareStoredComments(userId: string): boolean {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
    for (const key of keys) if (!key.startsWith(`${PREFIX}${userId}:`)) localStorage.removeItem(key);
    return keys.some((key) => key.startsWith(unsentKey(userId)));
  } catch {
    return false;
  }
}

export function eraseStoredComments(): void {
  prepareStoredComments("");
}

export function readStored(prefix: string): { key: string; value: unknown }[] {
  try {
    return Object.entries(localStorage).flatMap(([key, text]: [string, unknown]) =>
      key.startsWith(prefix) ? [{ key, value: parsed(text) }] : [],
    );
  } catch {
    return [];
  }
}

export function store(key: string, value: object | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The browser blocks site data, or its storage is full. The text stays on the page.
  }
}

/* oxlint-enable no-restricted-globals */

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}
