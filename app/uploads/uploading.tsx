import { type ComponentProps, createElement, useEffect, useEffectEvent, useState, useSyncExternalStore } from "react";
import type { AskDesign } from "./ask-design";
import { toast } from "~/ui/toasts";
import { dropped, pasted, type Batch } from "./dropped";
import { addFiles, expectFiles, onOpened, prepareUploads, tray } from "./inlet";
import { type Target, targetAt, targetProps } from "./target";

/** What asks, loaded when it is needed, and what it asks about. */
type Asking = { dialog: typeof AskDesign; about: Omit<ComponentProps<typeof AskDesign>, "onDone"> };

/**
 * Adding files, for all pages: takes what is dropped and pasted, and shows the tray once there is something in it. Nothing of that works without
 * scripts, and none of it is needed then: the form on the design's page is.
 */
export function Uploading({ personId }: { personId: string }) {
  const shown = useSyncExternalStore(onOpened, tray, () => null);
  const [asking, ask] = useState<Asking | null>(null);
  useEffect(() => prepareUploads(personId), [personId]);

  function take(target: Target, batch: Batch): void {
    if (target.kind === "project")
      import("./ask-design").then(
        ({ AskDesign }) => ask({ dialog: AskDesign, about: { project: target, batch } }),
        () => toast("Nothing was added: the connection was lost. Try again when it is back."),
      );
    else void addFiles({ designId: target.id, designName: target.name }, batch.files);
  }
  const over = useDrops(take);
  usePaste(take);

  return (
    <>
      {over ? (
        <div className="drop-veil" data-on-card={over.card || undefined}>
          <p className="max-w-[80vw] truncate rounded-md bg-raised px-4 py-2 text-lg font-medium">
            {over.target ? `Drop to add to ${over.target.name}` : "Drop on a project or a design"}
          </p>
        </div>
      ) : null}
      {shown && createElement(shown)}
      {asking && createElement(asking.dialog, { ...asking.about, onDone: () => ask(null) })}
    </>
  );
}

/** The page itself is the place: what is dropped anywhere on it, or pasted, goes there. */
export function PageTarget({ target }: { target: Target }) {
  return <span hidden data-drop-page="" {...targetProps(target)} />;
}

type Over = { target: Target | null; card: boolean };

/** Takes what is dropped, where it was dropped; answers what is under the pointer while files hover over the page. */
function useDrops(take: (target: Target, batch: Batch) => void): Over | null {
  const [over, setOver] = useState<Over | null>(null);
  const onDrop = useEffectEvent(take);

  useEffect(() => {
    // Every element that the pointer crosses is entered before the one before it is left.
    let depth = 0;
    // A picture of the page that is dragged counts as a file to the browser, and is none that anybody adds.
    let ownDrag = false;
    let marked: Element | null = null;
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener("dragstart", () => (ownDrag = true), { signal });
    window.addEventListener("dragend", () => (ownDrag = false), { signal });
    const on = (type: "dragenter" | "dragover" | "dragleave" | "drop", handle: (event: DragEvent) => void) => {
      const ifFiles = (event: DragEvent) => {
        if (!ownDrag && event.dataTransfer?.types.includes("Files")) handle(event);
      };
      window.addEventListener(type, ifFiles, { signal });
    };
    const mark = (card: Element | null) => {
      if (card === marked) return;
      marked?.removeAttribute("data-drop-over");
      card?.setAttribute("data-drop-over", "");
      marked = card;
    };
    const look = (event: DragEvent) => {
      const found = targetAt(event.target);
      mark(found?.card ?? null);
      const next = { target: found?.target ?? null, card: found?.card != null };
      setOver((before) => (before && before.card === next.card && before.target?.id === next.target?.id ? before : next));
      return found?.target ?? null;
    };
    on("dragenter", (event) => {
      depth++;
      expectFiles();
      look(event);
    });
    on("dragleave", () => {
      if (--depth > 0) return;
      depth = 0;
      mark(null);
      setOver(null);
    });
    on("dragover", (event) => {
      // Else the browser would leave the page and show the file.
      event.preventDefault();
      const target = look(event);
      if (event.dataTransfer) event.dataTransfer.dropEffect = target ? "copy" : "none";
    });
    on("drop", (event) => {
      event.preventDefault();
      const target = look(event);
      depth = 0;
      mark(null);
      setOver(null);
      if (!event.dataTransfer) return;
      if (!target) return void toast("Nothing was added. Drop files on a project or a design.");
      dropped(event.dataTransfer)().then(
        (batch) => {
          if (batch.files.length > 0) onDrop(target, batch);
          else void toast("Nothing was added: there is no file in this folder.");
        },
        () => toast("Nothing was added: what you dropped could not be read."),
      );
    });
    return () => {
      mark(null);
      listening.abort();
    };
  }, []);

  return over;
}

/** Takes pictures from the clipboard, where the page is a place for them. */
function usePaste(take: (target: Target, batch: Batch) => void): void {
  const onPaste = useEffectEvent(take);
  useEffect(() => {
    function paste(event: ClipboardEvent) {
      const files = event.clipboardData ? pasted(event.clipboardData, new Date()) : [];
      const found = targetAt(null);
      if (files.length === 0 || !found || event.defaultPrevented) return;
      event.preventDefault();
      onPaste(found.target, { files, folder: null });
    }
    window.addEventListener("paste", paste);
    return () => window.removeEventListener("paste", paste);
  }, []);
}
