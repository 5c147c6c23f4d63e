import { useSyncExternalStore } from "react";
import { useRoot } from "~/lib/data/use-root";
import { choiceFrom, DENSITIES, type Density } from "./preferences";

const changes = new EventTarget();

export function useDensity(): Density {
  const atFirst = useRoot()?.density ?? DENSITIES[0];
  return useSyncExternalStore(onChange, shown, () => atFirst);
}

export function showDensity(density: Density): void {
  document.documentElement.dataset["density"] = density;
  changes.dispatchEvent(new Event("change"));
}

const shown = () => choiceFrom(DENSITIES, document.documentElement.dataset["density"] ?? null);

function onChange(changed: () => void): () => void {
  changes.addEventListener("change", changed);
  return () => changes.removeEventListener("change", changed);
}
