import type { Theme } from "./preferences";
import { THEME_COLOURS, useTheme } from "./theme";

/** Has the browser draw its own bars in the colour of the page's ground, whichever theme is chosen. */
export function ThemeColour({ theme }: { theme: Theme }) {
  const shown = useTheme(theme);
  if (shown !== "system") return <meta name="theme-color" content={THEME_COLOURS[shown]} />;
  return (
    <>
      <meta name="theme-color" media="(prefers-color-scheme: light)" content={THEME_COLOURS.light} />
      <meta name="theme-color" media="(prefers-color-scheme: dark)" content={THEME_COLOURS.dark} />
    </>
  );
}
