import { isShownAhead } from "~/data/pending";
import { clsx } from "clsx";

/** Says of something that what is shown of it is not stored yet: once that takes longer than a moment, as without a connection. */
export function WaitingMark({ of, className }: { of: object; className?: string }) {
  return isShownAhead(of) ? <span className={clsx("waiting-mark", className)}>Not saved yet</span> : null;
}
