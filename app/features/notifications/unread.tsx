import type { Preload } from "~/lib/data/preload";
import { useLive } from "~/lib/data/use-live";

const MANY = 100;

export function UnreadBadge({ unread }: { unread: Preload<number> }) {
  const count = useLive(unread);
  if (count === 0) return null;
  return (
    <span className="tabular ms-auto rounded-full bg-accent px-1.5 text-xs font-medium text-accent-ink">
      {count < MANY ? count : `${MANY - 1}+`}
      <span className="sr-only"> unread</span>
    </span>
  );
}

export function UnreadDot({ unread }: { unread: Preload<number> }) {
  const count = useLive(unread);
  if (count === 0) return null;
  return (
    <span className="absolute -top-0.5 -end-0.5 size-2.5 rounded-full border-2 border-panel bg-accent">
      <span className="sr-only">Unread notifications</span>
    </span>
  );
}
