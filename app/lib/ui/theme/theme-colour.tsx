import type { Theme } from "./preferences";
import { THEME_COLOURS, useTheme } from "./theme";

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
