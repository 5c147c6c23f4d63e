import { lazy, Suspense, useCallback, useState } from "react";
import type { Preload } from "~/data/preload";
import type { NamedPlace } from "./places";
import { useCommandKey } from "./use-command-key";

const Palette = lazy(async () => ({ default: (await import("./palette")).Palette }));

type CommandsProps = {
  projects: Preload<NamedPlace[]>;
  onToggleSidebar: () => void;
};

/** The command palette, on Ctrl or Cmd with K: not loaded before somebody asks for it, and there is a page or a button for all that it does. */
export function Commands(props: CommandsProps) {
  const [asked, setAsked] = useState<object | null>(null);
  useCommandKey(useCallback(() => setAsked({}), []));
  if (!asked) return null;
  return (
    <Suspense>
      <Palette {...props} asked={asked} />
    </Suspense>
  );
}
