import { lazy, Suspense, useEffect, useEffectEvent, useState, useSyncExternalStore } from "react";
import { toast } from "~/ui/toasts";
import { dropped, pasted, type Batch } from "./dropped";
import { addFiles, isOpen, onOpened, openUploads, prepareUploads } from "./inlet";
import { type Target, targetAt, targetProps } from "./target";

const UploadTray = lazy(() => import("./tray"));
const AskDesign = lazy(() => import("./ask-design"));

/**
 * Adding files, for all pages: takes what is dropped and pasted, and shows the tray once there is something in it. Nothing of that works without
 * scripts, and none of it is needed then: the form on the design's page is.
 */
export function Uploading({ personId }: { personId: string }) {
  const open = useSyncExternalStore(onOpened, isOpen, () => false);
  const [asking, ask] = useState<{ project: Target; batch: Batch } | null>(null);
  useEffect(() => {
    if (prepareUploads(personId)) openUploads().catch(() => {});
  }, [personId]);

  function take(target: Target, batch: Batch): void {
    if (target.kind === "project") ask({ project: target, batch });
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
      {open ? (
        <Suspense>
          <UploadTray />
        </Suspense>
      ) : null}
      {asking ? (
        <Suspense>
          <AskDesign project={asking.project} batch={asking.batch} onDone={() => ask(null)} />
        </Suspense>
      ) : null}
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
