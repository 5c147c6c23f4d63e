import { ChevronDown, ChevronUp, CircleAlert, CircleCheck, CircleDashed, RotateCw, X } from "lucide-react";
import { useEffect, useId, useState, useSyncExternalStore } from "react";
import { href, Link } from "react-router";
import { Button } from "~/ui/button";
import { count } from "~/ui/count";
import { cx } from "~/ui/cx";
import { Icon } from "~/ui/icon";
import { documentUploads, isUnderWay, stateText, type Upload } from "./uploads";

const none: readonly Upload[] = [];

/** How long a tray stays in which all is well, in ms. */
const LEAVES_AFTER = 5_000;

/** What this browser is adding to a design: each file with how far it has come, what is wrong with it, and what can be done about it. */
export function UploadTray({ designId }: { designId: string }) {
  const uploads = useUploads().filter((upload) => upload.designId === designId);
  const open = uploads.filter(isUnderWay).length;
  const added = uploads.filter(({ state }) => state === "added").length;
  const failed = uploads.filter(({ state }) => state === "failed").length;
  const done = uploads.length > 0 && open === 0 && added === uploads.length;

  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => documentUploads().dismiss(designId), LEAVES_AFTER);
    return () => clearTimeout(timer);
  }, [done, designId]);

  const [folded, fold] = useState(false);
  const listId = useId();
  const title = open > 0 ? `Adding ${count(uploads.length, "image")}` : summary(added, failed);
  return (
    <>
      {/* There from the start, so that what comes into it is announced. Progress is not: it would never stop. */}
      <output className="sr-only">{uploads.length > 0 && open === 0 ? summary(added, failed) : ""}</output>
      {uploads.length > 0 ? (
        <section aria-label="Uploads" className="sticky bottom-4 z-10 ml-auto w-full rounded-lg sm:max-w-sm border bg-raised shadow-lift">
          <header className="flex items-center gap-2 py-1.5 pr-1.5 pl-4">
            <h2 className="tabular flex-1 text-base tracking-normal">
              {title}
              {open > 0 ? <span className="font-normal text-soft">, {uploads.length - open} done</span> : null}
            </h2>
            <Button
              look="ghost"
              size="icon-sm"
              aria-expanded={!folded}
              aria-controls={listId}
              aria-label="List of files"
              onClick={() => fold(!folded)}
            >
              <Icon of={folded ? ChevronUp : ChevronDown} />
            </Button>
            {open > 0 ? (
              <Button look="ghost" size="sm" onClick={() => uploads.filter(isUnderWay).forEach(({ id }) => documentUploads().cancel(id))}>
                Cancel all
              </Button>
            ) : (
              <Button look="ghost" size="icon-sm" aria-label="Close" onClick={() => documentUploads().dismiss(designId)}>
                <Icon of={X} />
              </Button>
            )}
          </header>
          <ul id={listId} hidden={folded} className="max-h-[min(16rem,40dvh)] overflow-y-auto border-t py-1">
            {uploads
              .toSorted((a, b) => rank(a) - rank(b))
              .map((upload) => (
                <Row key={upload.id} upload={upload} />
              ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

function Row({ upload }: { upload: Upload }) {
  const { id, name, state, sent, again, imageId, designId } = upload;
  const failed = state === "failed";
  return (
    <li className="flex items-start gap-3 py-1.5 pr-1.5 pl-4">
      <Icon
        of={failed ? CircleAlert : state === "added" ? CircleCheck : CircleDashed}
        className={cx("mt-0.5", failed ? "text-danger-text" : state === "added" ? "text-accent-text" : "text-faint")}
      />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="truncate">
          {imageId ? (
            <Link
              to={href("/design/:id/images/:imageId", { id: designId, imageId })}
              className="rounded-sm underline-offset-4 hover:underline"
            >
              {name}
            </Link>
          ) : (
            name
          )}
        </span>
        {isUnderWay(upload) ? (
          <progress className="upload-progress" value={state === "looking" ? undefined : sent} aria-label={`Progress of ${name}`} />
        ) : null}
        {failed ? null : <span className="tabular text-sm text-faint">{stateText(upload)}</span>}
        {/* There from the start, so that what comes into it is announced. */}
        <span role="alert" className="text-sm text-danger-text empty:hidden">
          {failed ? stateText(upload) : null}
        </span>
      </div>
      {again && !isUnderWay(upload) ? (
        <Button look="ghost" size="sm" aria-label={`Try again: ${name}`} onClick={() => documentUploads().retry(id)}>
          <Icon of={RotateCw} />
          Try again
        </Button>
      ) : null}
      {isUnderWay(upload) ? (
        <Button look="ghost" size="icon-sm" aria-label={`Cancel ${name}`} onClick={() => documentUploads().cancel(id)}>
          <Icon of={X} />
        </Button>
      ) : null}
    </li>
  );
}

/** What needs somebody comes first, then what moves. */
function rank(upload: Upload): number {
  if (upload.state === "failed") return 0;
  if (upload.state === "waiting") return 2;
  return isUnderWay(upload) ? 1 : 3;
}

function summary(added: number, failed: number): string {
  const told = failed > 0 ? `${count(failed, "file")} not added` : "";
  return added > 0 ? [`${count(added, "image")} added`, told].filter(Boolean).join(", ") : told || "Nothing added";
}

function useUploads(): readonly Upload[] {
  return useSyncExternalStore(
    (listener) => documentUploads().subscribe(listener),
    () => documentUploads().snapshot(),
    () => none,
  );
}
