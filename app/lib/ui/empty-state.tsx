import type { ReactNode } from "react";
import { clsx } from "clsx";

type EmptyStateProps = {
  title: string;
  text: ReactNode;
  action?: ReactNode;
  className?: string;
};

export function EmptyState({ title, text, action, className }: EmptyStateProps) {
  return (
    <div
      className={clsx(
        "grid place-items-center rounded-lg border bg-mat bg-[radial-gradient(60%_90%_at_50%_0%,var(--lamp),transparent)] px-4 py-12 sm:py-20",
        className,
      )}
    >
      <div className="grid w-full max-w-lg justify-items-center gap-5 rounded-md border border-dashed border-edge px-6 py-10 text-center sm:py-14">
        <div className="grid justify-items-center gap-2">
          <h2 className="text-lg">{title}</h2>
          <p className="max-w-[44ch] text-soft">{text}</p>
        </div>
        {action}
      </div>
    </div>
  );
}
