import { ChevronDown, ChevronUp, CircleAlert, CircleCheck, CircleDashed, CirclePause, Copy, Pause, Play, RotateCw, X } from "lucide-react";
import { type ReactNode, useEffect, useId, useState, useSyncExternalStore } from "react";
import { href, Link } from "react-router";
import { useRoot } from "~/data/use-root";
import { Button, type ButtonProps, buttonClass } from "~/ui/button";
import { count } from "~/ui/count";
import { clsx } from "clsx";
import { Icon } from "~/ui/icon";
import { standsAtLowerEdge } from "~/ui/lower-edge";
import { openDocumentUploads } from "./document-uploads";
import { Rest } from "./rest";
import { announcement, outcome, summed } from "./sum";
import { canCancel, canPause, isUnderWay, paceText, stateText, type Upload, type Uploads } from "./uploads";

/** How long a tray stays in which all is well, in ms. */
const LEAVES_AFTER = 5_000;
/** Files that are listed; what needs somebody comes first, so that what is left out is waiting, or well. */
const LISTED = 100;

const makeRoom = standsAtLowerEdge("tray");

const nothing: ReturnType<Uploads["snapshot"]> = { uploads: [], rest: [] };

/**
 * What this browser is adding, wherever it goes: each file with how far it has come, what is wrong with it, and what can be done about it. It
 * stands beside the pages, at the window's lower edge, and keeps what it covers reachable by room of its own below them.
 */
export function UploadTray() {
  const all = openDocumentUploads(useRoot()?.userId ?? "");
  const { uploads, rest } = useSyncExternalStore(all.subscribe, all.snapshot, () => nothing);
  const [folded, fold] = useState(false);
  const listId = useId();
  const sum = summed(uploads);
  const done = uploads.length > 0 && sum.added === uploads.length && rest.length === 0;

  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => all.dismiss(), LEAVES_AFTER);
    return () => clearTimeout(timer);
  }, [done, all]);

  const shown = uploads.length > 0 || rest.length > 0;
  const title = sum.open > 0 ? `Adding ${count(uploads.length, "image")}` : uploads.length > 0 ? outcome(sum) : "Not finished";
  return (
    <>
      {/* There from the start, so that what comes into it is announced. Progress is not: it would never stop. */}
      <output className="sr-only">{announcement(uploads, sum)}</output>
      {shown ? <div aria-hidden className="tray-room" /> : null}
      {shown ? (
        <section
          ref={makeRoom}
          aria-label="Uploads"
          data-print="hide"
          className="fixed inset-x-4 bottom-4 z-30 rounded-lg border bg-raised shadow-lift sm:left-auto sm:w-96"
        >
          <header className="flex items-center gap-1 py-1.5 pr-1.5 pl-4">
            <h2 className="tabular min-w-0 flex-1 truncate text-base tracking-normal">
              {title}
              {sum.open > 0 ? <span className="font-normal text-soft">, {uploads.length - sum.open} done</span> : null}
            </h2>
            <IconButton
              label="List of files"
              aria-expanded={!folded}
              aria-controls={listId}
              onClick={() => fold(!folded)}
              icon={folded ? ChevronUp : ChevronDown}
            />
            {sum.open === 0 && rest.length === 0 ? <IconButton label="Close" icon={X} onClick={() => all.dismiss()} /> : null}
          </header>
          {sum.open > 0 ? (
            <p className="tabular px-4 pb-1.5 text-sm text-faint">
              {[`${sum.percent}%`, paceText(sum.bytes - sum.sent, sum.speed)].filter(Boolean).join(", ")}
            </p>
          ) : null}
          <AllAtOnce uploads={uploads} all={all} />
          <div id={listId} hidden={folded} className="tray-list">
            {rest.length > 0 ? <Rest rest={rest} listed={LISTED} all={all} /> : null}
            <ul>
              {uploads
                .toSorted((a, b) => rank(a) - rank(b))
                .slice(0, LISTED)
                .map((upload) => (
                  <Row key={upload.id} upload={upload} all={all} />
                ))}
            </ul>
            {uploads.length > LISTED ? (
              <p className="px-4 py-1.5 text-sm text-faint">and {count(uploads.length - LISTED, "more", "more")}</p>
            ) : null}
          </div>
        </section>
      ) : null}
    </>
  );
}

/** What can be done with several files at once; there only where it would do something. */
function AllAtOnce({ uploads, all }: { uploads: readonly Upload[]; all: Uploads }) {
  const offers = [
    { label: "Pause all", which: uploads.filter(canPause), act: (id: string) => all.pause(id) },
    { label: "Resume all", which: uploads.filter(({ state }) => state === "paused"), act: (id: string) => all.resume(id) },
    {
      label: "Try all again",
      which: uploads.filter((upload) => upload.again && upload.state === "failed"),
      act: (id: string) => all.retry(id),
    },
    { label: "Add all anyway", which: uploads.filter(({ state }) => state === "duplicate"), act: (id: string) => all.addAnyway(id) },
    { label: "Skip all", which: uploads.filter(({ state }) => state === "duplicate"), act: (id: string) => all.dismiss(id) },
    {
      label: "Cancel all",
      which: uploads.filter((upload) => canCancel(upload) && isUnderWay(upload)),
      act: (id: string) => all.cancel(id),
    },
  ].filter(({ which }) => which.length > 1);
  if (offers.length === 0) return null;
  return (
    <p className="flex flex-wrap gap-1 px-2 pb-1.5">
      {offers.map(({ label, which, act }) => (
        <Button key={label} look="ghost" size="sm" onClick={() => which.forEach(({ id }) => act(id))}>
          {label}
        </Button>
      ))}
    </p>
  );
}

function Row({ upload, all }: { upload: Upload; all: Uploads }) {
  const { id, name, size, state, sent, again, imageId, designId, designName, duplicateOf } = upload;
  const needsSomebody = state === "failed" || state === "duplicate";
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-3 py-1.5 pr-1.5 pl-4">
      <Icon of={ICONS[state]} className={clsx("mt-0.5", TONES[state])} />
      <div className="grid min-w-0 gap-0.5">
        <span className="truncate" title={name}>
          {imageId ? <ImageLink designId={designId} imageId={imageId} name={name} /> : name}
        </span>
        {isUnderWay(upload) ? (
          <progress className="upload-progress" value={state === "looking" ? undefined : sent / size} aria-label={`Progress of ${name}`} />
        ) : null}
        {needsSomebody ? null : (
          <span className="tabular text-sm text-faint">
            {stateText(upload)}
            {state === "added" || state === "waiting" ? ` · ${designName}` : null}
          </span>
        )}
        {/* There from the start, so that what comes into it is announced. */}
        <span role="alert" className={clsx("text-sm empty:hidden", state === "failed" ? "text-danger-text" : "text-soft")}>
          {needsSomebody ? stateText(upload) : null}
        </span>
        {duplicateOf ? (
          <span className="flex flex-wrap gap-1 pt-0.5">
            <Button size="sm" aria-label={`Skip: ${name}`} onClick={() => all.dismiss(id)}>
              Skip
            </Button>
            <Button size="sm" aria-label={`Add anyway: ${name}`} onClick={() => all.addAnyway(id)}>
              Add anyway
            </Button>
            <Link
              className={buttonClass({ look: "ghost", size: "sm" })}
              to={href("/design/:id/images/:imageId", { id: designId, imageId: duplicateOf.imageId })}
              prefetch="intent"
            >
              See it
            </Link>
          </span>
        ) : null}
      </div>
      <span className="flex">
        {again && !isUnderWay(upload) ? (
          <Button look="ghost" size="sm" aria-label={`Try again: ${name}`} onClick={() => all.retry(id)}>
            <Icon of={RotateCw} />
            Try again
          </Button>
        ) : null}
        {state === "interrupted" ? <IconButton label={`Try ${name} now`} icon={RotateCw} onClick={() => all.resume(id)} /> : null}
        {/* One button that changes, so that whoever pressed it can press it again. */}
        {canPause(upload) || state === "paused" ? (
          <IconButton
            label={state === "paused" ? `Resume ${name}` : `Pause ${name}`}
            icon={state === "paused" ? Play : Pause}
            onClick={() => (state === "paused" ? all.resume(id) : all.pause(id))}
          />
        ) : null}
        {canCancel(upload) && isUnderWay(upload) ? <IconButton label={`Cancel ${name}`} icon={X} onClick={() => all.cancel(id)} /> : null}
        {state === "failed" || state === "cancelled" ? (
          <IconButton label={`Dismiss ${name}`} icon={X} onClick={() => all.dismiss(id)} />
        ) : null}
      </span>
    </li>
  );
}

function ImageLink({ designId, imageId, name }: { designId: string; imageId: string; name: string }) {
  return (
    <Link
      to={href("/design/:id/images/:imageId", { id: designId, imageId })}
      prefetch="intent"
      className="rounded-sm underline-offset-4 hover:underline"
    >
      {name}
    </Link>
  );
}

function IconButton({ label, icon, ...rest }: { label: string; icon: Parameters<typeof Icon>[0]["of"] } & ButtonProps): ReactNode {
  return (
    <Button look="ghost" size="icon-sm" aria-label={label} {...rest}>
      <Icon of={icon} />
    </Button>
  );
}

const ICONS = {
  waiting: CircleDashed,
  sending: CircleDashed,
  interrupted: CircleDashed,
  paused: CirclePause,
  looking: CircleDashed,
  added: CircleCheck,
  duplicate: Copy,
  failed: CircleAlert,
  cancelled: CircleDashed,
} as const;

const TONES: Record<Upload["state"], string> = {
  waiting: "text-faint",
  sending: "text-faint",
  interrupted: "text-faint",
  paused: "text-faint",
  looking: "text-faint",
  added: "text-accent-text",
  duplicate: "text-soft",
  failed: "text-danger-text",
  cancelled: "text-faint",
};

/** What needs somebody comes first, then what moves. */
function rank({ state }: Upload): number {
  if (state === "failed" || state === "duplicate") return 0;
  if (state === "added" || state === "cancelled") return 3;
  return state === "waiting" ? 2 : 1;
}
