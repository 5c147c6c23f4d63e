import { useSyncExternalStore } from "react";
import { type Theme, THEMES, themeFrom } from "./preferences";

/** `--background` of each theme in tokens.css, for the browser's own bars and the manifest; a test compares them. */
export const THEME_COLOURS = { light: "#fafafa", dark: "#0c0c0c" } as const;

export function useTheme(atFirst: Theme): Theme {
  return useSyncExternalStore(onThemeChange, currentTheme, () => atFirst);
}

/** Applies a theme. The class is for extensions and tools that check for `dark`. */
export function showTheme(theme: Theme): void {
  const { classList, dataset } = document.documentElement;
  classList.remove(...THEMES);
  classList.add(theme);
  dataset["theme"] = theme;
}

const currentTheme = () => themeFrom(document.documentElement.dataset["theme"] ?? null);

function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
