import { ChevronDown, ChevronUp, X } from "lucide";
import { useCallback, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import { useRoot } from "~/lib/data/use-root";
import { count } from "~/lib/ui/count";
import { Button } from "~/lib/ui/inputs/button";
import { bottomInsetRef } from "~/lib/ui/bottom-inset-ref";
import { openDocumentUploads } from "../document-uploads";
import { canCancel, canPause, isActive, type Upload } from "../upload";
import type { Uploads } from "../uploads";
import { IconButton } from "./icon-button";
import { UnfinishedUploadList } from "./unfinished-upload-list";
import { UploadRow } from "./upload-row";
import { announcement, summarizeUploads, titleOf } from "./upload-summary";
import { transferRateText } from "./upload-text";

const LEAVES_AFTER = 5_000;
const LISTED = 100;

const insetRef = bottomInsetRef("tray");

const emptySnapshot: ReturnType<Uploads["snapshot"]> = { uploads: [], unfinished: [] };

export function UploadTray() {
  const all = openDocumentUploads(useRoot()?.userId ?? "");
  const { uploads, unfinished } = useSyncExternalStore(all.subscribe, all.snapshot, () => emptySnapshot);
  const [chosen, choose] = useState<boolean | null>(null);
  const listId = useId();
  const tray = useRef<HTMLElement>(null);
  const trayRef = useCallback((element: HTMLElement | null) => {
    tray.current = element;
    return insetRef(element);
  }, []);
  const summary = summarizeUploads(uploads);
  const done = uploads.length > 0 && summary.added === uploads.length && unfinished.length === 0;

  useEffect(() => {
    if (!done) return;
    const timer = setInterval(() => tray.current?.matches(":hover, :focus-within") || all.dismiss(), LEAVES_AFTER);
    return () => clearInterval(timer);
  }, [done, all]);

  const shown = uploads.length > 0 || unfinished.length > 0;
  if (!shown && chosen !== null) choose(null);
  // The tray stays open when a file is sent again, because one of its buttons may have the focus.
  if (chosen === null && (unfinished.length > 0 || summary.failed > 0 || summary.duplicate > 0)) choose(true);
  const open = chosen === true;
  const title = titleOf(uploads, summary, unfinished.length);
  const rate = transferRateText(summary.bytes - summary.sent, summary.speed);
  return (
    <>
      {/* Rendered from the start so that changes are announced. Omits progress, whose announcements would never stop. */}
      <output className="sr-only">{announcement(uploads, summary, unfinished.length)}</output>
      {shown ? <div aria-hidden className="tray-spacer" /> : null}
      {shown ? (
        <section ref={trayRef} aria-label="Uploads" data-print="hide" className="upload-tray">
          <header className="flex items-center gap-1 py-1 ps-4 pe-1.5">
            <h2 className="min-w-0 flex-1 truncate text-base tracking-normal" title={title}>
              {title}
            </h2>
            {summary.open > 0 ? <p className="tabular px-1 text-sm text-faint">{summary.percent}%</p> : null}
            <IconButton
              label="List of files"
              aria-expanded={open}
              aria-controls={listId}
              onClick={() => choose(!open)}
              icon={open ? ChevronDown : ChevronUp}
            />
            {summary.open === 0 && unfinished.length === 0 ? <IconButton label="Close" icon={X} onClick={() => all.dismiss()} /> : null}
          </header>
          {summary.open > 0 ? (
            <progress className="upload-progress" value={summary.percent / 100} aria-label="Progress of all files" />
          ) : null}
          <div id={listId} hidden={!open} className="tray-list">
            {/* Not rendered while closed: the rows would double the rendering time of an upload. */}
            {open ? (
              <>
                {rate === "" ? null : <p className="tabular px-4 pt-1 text-sm text-faint">{rate}</p>}
                <BulkUploadActions uploads={uploads} all={all} />
                {unfinished.length > 0 ? <UnfinishedUploadList unfinished={unfinished} listed={LISTED} all={all} /> : null}
                <ul>
                  {uploads
                    .toSorted((a, b) => rank(a) - rank(b))
                    .slice(0, LISTED)
                    .map((upload) => (
                      <UploadRow key={upload.id} upload={upload} all={all} />
                    ))}
                </ul>
                {uploads.length > LISTED ? (
                  <p className="px-4 py-1.5 text-sm text-faint">and {count(uploads.length - LISTED, "more", "more")}</p>
                ) : null}
              </>
            ) : null}
          </div>
        </section>
      ) : null}
    </>
  );
}

function BulkUploadActions({ uploads, all }: { uploads: readonly Upload[]; all: Uploads }) {
  const offers = [
    { label: "Pause all", which: uploads.filter(canPause), act: (id: string) => all.pause(id) },
    { label: "Resume all", which: uploads.filter(({ state }) => state === "paused"), act: (id: string) => all.resume(id) },
    {
      label: "Retry all",
      which: uploads.filter((upload) => upload.canRetry && upload.state === "failed"),
      act: (id: string) => all.retry(id),
    },
    { label: "Keep all", which: uploads.filter(({ state }) => state === "duplicate"), act: (id: string) => all.addAnyway(id) },
    { label: "Skip all", which: uploads.filter(({ state }) => state === "duplicate"), act: (id: string) => all.dismiss(id) },
    {
      label: "Cancel all",
      which: uploads.filter((upload) => canCancel(upload) && isActive(upload)),
      act: (id: string) => all.cancel(id),
    },
  ].filter(({ which }) => which.length > 1);
  if (offers.length === 0) return null;
  return (
    <p className="flex flex-wrap gap-1 px-2 pb-1.5">
      {offers.map(({ label, which, act }) => (
        <Button key={label} variant="ghost" size="sm" onClick={() => which.forEach(({ id }) => act(id))}>
          {label}
        </Button>
      ))}
    </p>
  );
}

function rank({ state }: Upload): number {
  if (state === "failed" || state === "duplicate") return 0;
  if (state === "added" || state === "cancelled") return 3;
  return state === "waiting" ? 2 : 1;
}
