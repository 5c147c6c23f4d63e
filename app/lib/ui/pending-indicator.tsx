import { isOptimistic } from "~/lib/data/pending";
import { clsx } from "clsx";

export function PendingIndicator({ of, className }: { of: object; className?: string }) {
  return isOptimistic(of) ? <span className={clsx("waiting-mark", className)}>Not saved yet</span> : null;
}
