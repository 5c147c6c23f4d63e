import { isolate } from "~/lib/ui/isolate";
import { type ComponentProps, createElement, useEffect, useEffectEvent, useState, useSyncExternalStore } from "react";
import { useNavigate } from "react-router";
import type { DesignPicker } from "./design-picker";
import { loadModule } from "~/lib/data/connection/load-module";
import { useMay } from "~/lib/rights/rights";
import { toast } from "~/lib/ui/overlays/toasts";
import { isTextField } from "~/lib/ui/prevent-drops";
import { readDroppedFiles, readPastedFiles, type Batch } from "./dropped-files";
import { addFiles, expectFiles, onLoaded, prepareUploads, tray } from "../lazy-uploader";
import { addToNewProject } from "./new-project";
import { type Target, targetAt, targetProps } from "./drop-target";

type OpenDialog = { dialog: typeof DesignPicker; about: Omit<ComponentProps<typeof DesignPicker>, "onDone"> };

export function UploadProvider({ personId }: { personId: string }) {
  const shown = useSyncExternalStore(onLoaded, tray, () => null);
  const navigate = useNavigate();
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  useEffect(() => prepareUploads(personId), [personId]);

  function addBatch(target: Target, batch: Batch): void {
    if (target.kind === "new") void addToNewProject(batch, navigate);
    else if (target.kind === "project")
      loadModule(() => import("./design-picker")).then(
        ({ DesignPicker }) => setOpenDialog({ dialog: DesignPicker, about: { project: target, batch } }),
        () => toast("The connection was lost, so nothing was added. Try again when it is back."),
      );
    else void addFiles({ designId: target.id, designName: target.name }, batch.files);
  }
  const dragState = useDrops(addBatch);
  usePaste(addBatch);

  return (
    <>
      {dragState ? (
        <div className="drop-overlay" data-on-card={dragState.card || undefined}>
          <p className="max-w-[80vw] truncate rounded-md bg-raised px-4 py-2 text-lg font-medium">
            {dragState.isLink
              ? NO_FILE
              : dragState.target
                ? `Drop to add to ${isolate(dragState.target.name)}`
                : "Drop on a project or a design"}
          </p>
        </div>
      ) : null}
      {shown && createElement(shown)}
      {openDialog && createElement(openDialog.dialog, { ...openDialog.about, onDone: () => setOpenDialog(null) })}
    </>
  );
}

export function PageTarget({ target }: { target: Target }) {
  if (!useMay()("edit")) return null;
  return <span hidden data-drop-page="" {...targetProps(target)} />;
}

/** MIME types of a dragged link; the second is Firefox's. */
const LINKS = new Set(["text/uri-list", "text/x-moz-url"]);

type DragState = { target: Target | null; card: boolean; isLink?: boolean };

const isOwnDrop = ({ target }: DragEvent) => target instanceof Element && target.closest("[data-own-drop]") !== null;

const NO_FILE = "Links cannot be added. Save the image first, then drop its file.";

function useDrops(addBatch: (target: Target, batch: Batch) => void): DragState | null {
  const [dragState, setOver] = useState<DragState | null>(null);
  const onDrop = useEffectEvent(addBatch);

  useEffect(() => {
    // `dragenter` of an element fires before `dragleave` of the previous one.
    let depth = 0;
    // The browser reports a dragged picture of the page as a file.
    let ownDrag = false;
    let marked: Element | null = null;
    const listening = new AbortController();
    const { signal } = listening;
    // Reordering prevents the browser's drag, so that no `dragend` follows.
    window.addEventListener("dragstart", (event) => (ownDrag = !event.defaultPrevented), { signal });
    // A drag whose element was removed ends without an event; no pointer moves during a drag.
    for (const type of ["dragend", "pointermove"] as const) window.addEventListener(type, () => (ownDrag = false), { signal });
    const on = (type: "dragenter" | "dragover" | "dragleave" | "drop", handle: (event: DragEvent) => void) => {
      const ifFiles = (event: DragEvent) => {
        if (!ownDrag && event.dataTransfer?.types.includes("Files")) handle(event);
      };
      window.addEventListener(type, ifFiles, { signal });
    };
    refuseOthers();
    const mark = (card: Element | null) => {
      if (card === marked) return;
      marked?.removeAttribute("data-drop-over");
      card?.setAttribute("data-drop-over", "");
      marked = card;
    };
    const updateTarget = (event: DragEvent) => {
      if (isOwnDrop(event)) {
        mark(null);
        setOver(null);
        return null;
      }
      const found = targetAt(event.target);
      mark(found?.card ?? null);
      const next = { target: found?.target ?? null, card: found?.card != null };
      setOver((before) => (before && before.card === next.card && before.target?.id === next.target?.id ? before : next));
      return found?.target ?? null;
    };
    on("dragenter", (event) => {
      depth++;
      expectFiles();
      updateTarget(event);
    });
    on("dragleave", () => {
      if (--depth > 0) return;
      depth = 0;
      mark(null);
      setOver(null);
    });
    on("dragover", (event) => {
      event.preventDefault();
      const target = updateTarget(event);
      if (event.dataTransfer) event.dataTransfer.dropEffect = target || isOwnDrop(event) ? "copy" : "none";
    });
    on("drop", (event) => {
      event.preventDefault();
      const target = updateTarget(event);
      depth = 0;
      mark(null);
      setOver(null);
      if (!event.dataTransfer || isOwnDrop(event)) return;
      if (!target) return void toast("Nothing was added. Drop files on a project or a design.");
      readDroppedFiles(event.dataTransfer)().then(
        (batch) => {
          if (batch.files.length > 0) onDrop(target, batch);
          else void toast(batch.folder === null ? NO_FILE : "The folder contains no files. Nothing was added.");
        },
        () => toast("The dropped files could not be read. Nothing was added."),
      );
    });

    function refuseOthers() {
      const listen = (type: "dragenter" | "dragover" | "dragleave" | "drop", handle: (transfer: DataTransfer, isLink: boolean) => void) =>
        window.addEventListener(
          type,
          (event) => {
            const { dataTransfer, target } = event;
            if (!dataTransfer || (!ownDrag && dataTransfer.types.includes("Files"))) return;
            if (isTextField(target)) return;
            event.preventDefault();
            handle(dataTransfer, !ownDrag && dataTransfer.types.some((each) => LINKS.has(each)));
          },
          { signal },
        );
      listen("dragenter", (_transfer, isLink) => {
        depth++;
        if (isLink) setOver({ target: null, card: false, isLink });
      });
      listen("dragleave", () => {
        depth = Math.max(depth - 1, 0);
        if (depth === 0) setOver(null);
      });
      listen("dragover", (transfer) => (transfer.dropEffect = "none"));
      listen("drop", (_transfer, isLink) => {
        depth = 0;
        setOver(null);
        if (isLink) void toast(NO_FILE);
      });
    }

    return () => {
      mark(null);
      listening.abort();
    };
  }, []);

  return dragState;
}

function usePaste(addBatch: (target: Target, batch: Batch) => void): void {
  const onPaste = useEffectEvent(addBatch);
  useEffect(() => {
    function paste(event: ClipboardEvent) {
      const files = event.clipboardData ? readPastedFiles(event.clipboardData, new Date()) : [];
      const found = targetAt(null);
      if (files.length === 0 || event.defaultPrevented || isTextForField(event)) return;
      event.preventDefault();
      if (!found) return void toast("Nothing was added. Open a project or a design, then paste.");
      onPaste(found.target, { files, folder: null });
    }
    window.addEventListener("paste", paste);
    return () => window.removeEventListener("paste", paste);
  }, []);
}

/** Returns whether a field should receive the text. Word processors copy a picture of the text, too. */
const isTextForField = ({ target, clipboardData }: ClipboardEvent) =>
  isTextField(target) && clipboardData?.types.includes("text/plain") === true;
