import type { Preload } from "~/data/preload";
import { useLive } from "~/data/use-live";

/** `getUnreadCount` counts no further. */
const MANY = 100;

/** How many notices are unread, beside the word 'Notifications'; nothing when there are none. */
export function UnreadBadge({ unread }: { unread: Preload<number> }) {
  const count = useLive(unread);
  if (count === 0) return null;
  return (
    <span className="tabular ml-auto rounded-full bg-accent px-1.5 text-xs font-medium text-accent-ink">
      {count < MANY ? count : `${MANY - 1}+`}
      <span className="sr-only"> unread</span>
    </span>
  );
}

/** Says on the closed menu that there is something to read in it. */
export function UnreadDot({ unread }: { unread: Preload<number> }) {
  const count = useLive(unread);
  if (count === 0) return null;
  return (
    <span className="absolute -top-0.5 -right-0.5 size-2.5 rounded-full border-2 border-panel bg-accent">
      <span className="sr-only">Unread notifications</span>
    </span>
  );
}
