import { type ComponentType, createElement, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Preload } from "~/lib/data/preload";
import { loadModule } from "~/lib/data/connection/load-module";
import { close, show } from "~/lib/ui/overlays/invokers";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { toast } from "~/lib/ui/overlays/toasts";
import type { Command } from "./command";
import { FIELD } from "./search-field-id";
import { pageCommands } from "./page-commands";
import type { PaletteProps } from "./palette";
import type { PageDestination } from "./page-destinations";
import { useCommandKey } from "./use-command-key";

type CommandsProps = {
  projects: Preload<PageDestination[]>;
  onToggleSidebar: () => void;
};

export function Commands(props: CommandsProps) {
  const [openRequest, setOpenRequest] = useState<object | null>(null);
  useCommandKey(useCallback(() => setOpenRequest({}), []));
  return openRequest && <CommandDialog {...props} openRequest={openRequest} />;
}

type CommandDialogProps = CommandsProps & {
  openRequest: object;
};

function CommandDialog({ openRequest, ...props }: CommandDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [commandsOfPage, setCommandsOfPage] = useState<Command[]>([]);
  const [entered, setEntered] = useState(false);
  const palette = usePalette(
    useCallback(() => {
      if (dialog.current) close(dialog.current);
      void toast("The commands could not be loaded. Try again in a moment.");
    }, []),
    openRequest,
  );

  useLayoutEffect(() => {
    if (!dialog.current) return;
    if (dialog.current.open) return close(dialog.current);
    setTyped("");
    setEntered(false);
    setCommandsOfPage(pageCommands());
    show(dialog.current);
    dialog.current.querySelector("input")?.focus();
  }, [openRequest]);

  function type(text: string) {
    setTyped(text);
    setEntered(false);
  }

  return (
    <dialog ref={dialog} closedby="any" aria-label="Commands" className="dialog palette">
      {palette ? (
        createElement(palette, { ...props, pageCommands: commandsOfPage, typed, onType: type, entered })
      ) : (
        <input
          type="text"
          dir="auto"
          cmdk-input=""
          aria-label={FIELD.label}
          placeholder={FIELD.placeholder}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => type(event.target.value)}
          onKeyDown={(event) => setEntered(pressedKey(event.nativeEvent) === "Enter")}
        />
      )}
    </dialog>
  );
}

function usePalette(onFailure: () => void, requested: object): ComponentType<PaletteProps> | null {
  const [palette, setPalette] = useState<ComponentType<PaletteProps> | null>(null);
  useEffect(() => {
    if (palette) return;
    loadModule(() => import("./palette")).then((loaded) => setPalette(() => loaded.Palette), onFailure);
  }, [palette, requested, onFailure]);
  return palette;
}
