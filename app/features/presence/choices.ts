import { useSyncExternalStore } from "react";
import { cookie, THEME_SECONDS } from "~/lib/ui/theme/preferences";

/** Not in `preferences.ts`, which every page loads. */
const POINTERS_COOKIE = "pointers";

/** `following`: the id of a tab in `presence:list`. */
type Choices = { arePointersShown: boolean; following: string | null };

let choices: Choices = { arePointersShown: document.cookie.split("; ").includes(`${POINTERS_COOKIE}=on`), following: null };
const listeners = new Set<() => void>();

export const useChoices = (): Choices => useSyncExternalStore(subscribe, () => choices);

export function showPointers(arePointersShown: boolean): void {
  document.cookie = cookie(POINTERS_COOKIE, arePointersShown ? "on" : "off", THEME_SECONDS, location.protocol === "https:");
  change({ arePointersShown });
}

export const follow = (following: string | null): void => change({ following });

function change(next: Partial<Choices>): void {
  choices = { ...choices, ...next };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
