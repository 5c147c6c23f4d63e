import type { ReactNode } from "react";
import { cx } from "./cx";

type EmptyStateProps = {
  title: string;
  /** The next step, in one sentence. */
  text: string;
  /** What does that step. */
  action?: ReactNode;
  className?: string;
};

/** The place where the first thing will be, drawn as that thing, with its action inside. */
export function EmptyState({ title, text, action, className }: EmptyStateProps) {
  return (
    <div
      className={cx(
        "grid justify-items-start gap-4 rounded-lg border border-dashed border-edge p-8 sm:justify-items-center sm:py-16 sm:text-center",
        className,
      )}
    >
      <div className="grid gap-1.5 sm:justify-items-center">
        <h2 className="text-lg">{title}</h2>
        <p className="max-w-[44ch] text-soft">{text}</p>
      </div>
      {action}
    </div>
  );
}
