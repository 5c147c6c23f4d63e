import { useSyncExternalStore } from "react";
import { type Theme, THEMES, themeFrom } from "./preferences";

/** The page's ground in each theme (`--ground` in tokens.css; a test compares), for what browsers draw around it and for the app's manifest. */
export const THEME_COLOURS = { light: "#fafafa", dark: "#0c0c0c" } as const;

/** The theme that the page is shown in, kept up to date. The document itself says it, so that all places where it is chosen agree. */
export function useTheme(atFirst: Theme): Theme {
  return useSyncExternalStore(onThemeChange, themeShown, () => atFirst);
}

/** Shows the page in another theme, at once. The class says it too, for what looks for `dark` there, as extensions and other tools do. */
export function showTheme(theme: Theme): void {
  const { classList, dataset } = document.documentElement;
  classList.remove(...THEMES);
  classList.add(theme);
  dataset["theme"] = theme;
}

const themeShown = () => themeFrom(document.documentElement.dataset["theme"] ?? null);

function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
