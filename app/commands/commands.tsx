import { type ComponentType, createElement, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Preload } from "~/data/preload";
import { reachServer } from "~/data/reach-server";
import { close, show } from "~/ui/invokers";
import { toast } from "~/ui/toasts";
import type { Command } from "./command";
import { FIELD } from "./field";
import { pageCommands } from "./page-commands";
import type { PaletteProps } from "./palette";
import type { NamedPlace } from "./places";
import { useCommandKey } from "./use-command-key";

type CommandsProps = {
  projects: Preload<NamedPlace[]>;
  onToggleSidebar: () => void;
};

/** The command palette, on Ctrl or Cmd with K: not loaded before somebody asks for it, and there is a page or a button for all that it does. */
export function Commands(props: CommandsProps) {
  const [asked, setAsked] = useState<object | null>(null);
  useCommandKey(useCallback(() => setAsked({}), []));
  return asked && <CommandDialog {...props} asked={asked} />;
}

type CommandDialogProps = CommandsProps & {
  /** Each new object opens it, or closes it where it stands open. */
  asked: object;
};

/**
 * The dialog and what is typed into it, which are there before the key is let go; the palette itself comes into it as soon as it is loaded, and takes up
 * what was typed meanwhile.
 */
function CommandDialog({ asked, ...props }: CommandDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [here, setHere] = useState<Command[]>([]);
  /** Whether Enter was pressed while there was nothing to choose from yet. */
  const [entered, setEntered] = useState(false);
  const palette = usePalette(
    useCallback(() => {
      if (dialog.current) close(dialog.current);
      void toast("The commands could not be loaded. Try again in a moment.");
    }, []),
    asked,
  );

  // Before the next key can come.
  useLayoutEffect(() => {
    if (!dialog.current) return;
    if (dialog.current.open) return close(dialog.current);
    setTyped("");
    setEntered(false);
    setHere(pageCommands());
    show(dialog.current);
    // The dialog itself would choose the list, which can be focused too.
    dialog.current.querySelector("input")?.focus();
  }, [asked]);

  function type(text: string) {
    setTyped(text);
    setEntered(false);
  }

  return (
    <dialog ref={dialog} closedby="any" aria-label="Commands" className="dialog palette">
      {palette ? (
        createElement(palette, { ...props, here, typed, onType: type, entered })
      ) : (
        <input
          type="text"
          cmdk-input=""
          aria-label={FIELD.label}
          placeholder={FIELD.placeholder}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => type(event.target.value)}
          onKeyDown={(event) => setEntered(event.key === "Enter")}
        />
      )}
    </dialog>
  );
}

/** The palette's own part, loaded when it is asked for; where that fails, it is tried again the next time. */
function usePalette(onFailure: () => void, asked: object): ComponentType<PaletteProps> | null {
  const [palette, setPalette] = useState<ComponentType<PaletteProps> | null>(null);
  useEffect(() => {
    if (palette) return;
    reachServer()
      .then(() => import("./palette"))
      .then((loaded) => setPalette(() => loaded.Palette), onFailure);
  }, [palette, asked, onFailure]);
  return palette;
}
