import type { LucideIcon } from "lucide-react";
import { cx } from "./cx";

/** An icon of the one set. It is decoration: the text beside it, or its button's label, says what it means. */
export function Icon({ of: Shape, className }: { of: LucideIcon; className?: string }) {
  return <Shape aria-hidden="true" strokeWidth={1.75} className={cx("size-4 shrink-0", className)} />;
}
