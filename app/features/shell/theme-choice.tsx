import { Monitor, Moon, Sun } from "lucide";
import { useId } from "react";
import { href, useLocation } from "react-router";
import { Icon } from "~/lib/ui/icons/icon";
import { type Theme, themeCookie } from "~/lib/ui/theme/preferences";
import { showTheme, useTheme } from "~/lib/ui/theme/theme";

const choices = [
  { theme: "dark", label: "Dark", icon: Moon },
  { theme: "light", label: "Light", icon: Sun },
  { theme: "system", label: "System", icon: Monitor },
] as const satisfies { theme: Theme; label: string; icon: typeof Moon }[];

export function ThemeChoice({ theme }: { theme: Theme }) {
  const labelId = useId();
  const currentTheme = useTheme(theme);
  const { pathname, search } = useLocation();
  return (
    <form method="post" action={href("/preferences")} className="flex items-center justify-between gap-2 py-1 pe-1 ps-2.5">
      <span id={labelId}>Theme</span>
      <input type="hidden" name="back" value={pathname + search} />
      <div role="group" aria-labelledby={labelId} className="segments">
        {choices.map((choice) => (
          <button
            key={choice.theme}
            type="submit"
            name="theme"
            value={choice.theme}
            aria-label={choice.label}
            title={choice.label}
            aria-pressed={currentTheme === choice.theme}
            onClick={(event) => {
              event.preventDefault();
              showTheme(choice.theme);
              document.cookie = themeCookie(choice.theme, location.protocol === "https:");
            }}
          >
            <Icon of={choice.icon} />
          </button>
        ))}
      </div>
    </form>
  );
}
