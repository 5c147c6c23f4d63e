import { Monitor, Moon, Sun } from "lucide-react";
import { useId } from "react";
import { href, useLocation } from "react-router";
import { clsx } from "clsx";
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
      <div role="group" aria-labelledby={labelId} className="flex gap-0.5 rounded-md border bg-panel p-0.5">
        {choices.map((choice) => (
          <button
            key={choice.theme}
            type="submit"
            name="theme"
            value={choice.theme}
            aria-label={choice.label}
            title={choice.label}
            aria-pressed={currentTheme === choice.theme}
            className={clsx(
              "grid size-7 cursor-pointer place-items-center rounded-sm hover:text-ink pointer-coarse:size-11",
              currentTheme === choice.theme ? "bg-hover text-accent-text" : "text-faint",
            )}
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
