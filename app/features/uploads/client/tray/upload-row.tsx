import { clsx } from "clsx";
import { CircleAlert, CircleCheck, CircleDashed, CirclePause, Copy, Pause, Play, RotateCw, X } from "lucide";
import { memo } from "react";
import { href } from "react-router";
import { Icon } from "~/lib/ui/icons/icon";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { isolate } from "~/lib/ui/isolate";
import { Link } from "~/lib/ui/navigation/link";
import { canCancel, canPause, isActive, type Upload } from "../upload";
import type { Uploads } from "../uploads";
import { IconButton } from "./icon-button";
import { stateText } from "./upload-text";

export const UploadRow = memo(function UploadRow({ upload, all }: { upload: Upload; all: Uploads }) {
  const { id, name, size, state, sent, canRetry, imageId, designId, designName, duplicateOf } = upload;
  const needsAttention = state === "failed" || state === "duplicate";
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-3 py-1.5 pe-1.5 ps-4">
      <Icon of={ICONS[state]} className={clsx("mt-0.5", TONES[state])} />
      <div className="grid min-w-0 gap-0.5">
        <span dir="auto" className="truncate" title={name}>
          {imageId ? <ImageLink designId={designId} imageId={imageId} name={name} /> : name}
        </span>
        {isActive(upload) ? (
          <progress
            className="upload-progress"
            value={state === "processing" ? undefined : sent / size}
            aria-label={`Progress of ${isolate(name)}`}
          />
        ) : null}
        {needsAttention ? null : (
          <span className="tabular text-sm text-faint">
            {stateText(upload)}
            {state === "added" || state === "waiting" ? ` · ${isolate(designName)}` : null}
          </span>
        )}
        <span role="alert" className={clsx("text-sm empty:hidden", state === "failed" ? "text-danger-text" : "text-soft")}>
          {needsAttention ? stateText(upload) : null}
        </span>
        {duplicateOf ? (
          <span className="flex flex-wrap gap-1 pt-0.5">
            <Button size="sm" aria-label={`Skip: ${isolate(name)}`} onClick={() => all.dismiss(id)}>
              Skip
            </Button>
            <Button size="sm" aria-label={`Keep both: ${isolate(name)}`} onClick={() => all.addAnyway(id)}>
              Keep both
            </Button>
            <Link
              className={buttonClass({ variant: "ghost", size: "sm" })}
              to={href("/design/:id/images/:imageId", { id: designId, imageId: duplicateOf.imageId })}
              prefetch="intent"
            >
              View
            </Link>
          </span>
        ) : null}
      </div>
      <span className="flex">
        {canRetry && !isActive(upload) ? (
          <Button variant="ghost" size="sm" aria-label={`Try again: ${isolate(name)}`} onClick={() => all.retry(id)}>
            <Icon of={RotateCw} />
            Try again
          </Button>
        ) : null}
        {state === "interrupted" ? <IconButton label={`Try ${isolate(name)} now`} icon={RotateCw} onClick={() => all.resume(id)} /> : null}
        {/* A single button, so that focus stays when its action changes. */}
        {canPause(upload) || state === "paused" ? (
          <IconButton
            label={state === "paused" ? `Resume ${isolate(name)}` : `Pause ${isolate(name)}`}
            icon={state === "paused" ? Play : Pause}
            onClick={() => (state === "paused" ? all.resume(id) : all.pause(id))}
          />
        ) : null}
        {canCancel(upload) && isActive(upload) ? (
          <IconButton label={`Cancel ${isolate(name)}`} icon={X} onClick={() => all.cancel(id)} />
        ) : null}
        {state === "failed" || state === "cancelled" ? (
          <IconButton label={`Dismiss ${isolate(name)}`} icon={X} onClick={() => all.dismiss(id)} />
        ) : null}
      </span>
    </li>
  );
});

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

const ICONS = {
  waiting: CircleDashed,
  sending: CircleDashed,
  interrupted: CircleDashed,
  paused: CirclePause,
  processing: CircleDashed,
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
  processing: "text-faint",
  added: "text-accent-text",
  duplicate: "text-soft",
  failed: "text-danger-text",
  cancelled: "text-faint",
};
