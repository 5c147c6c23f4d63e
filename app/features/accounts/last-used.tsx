import type { ReactNode } from "react";

export function LastUsed({ id, is, children }: { id: string; is: boolean; children: (describedBy: string | undefined) => ReactNode }) {
  if (!is) return children(undefined);
  return (
    <div className="relative grid">
      {children(id)}
      <span
        id={id}
        className="pointer-events-none absolute -top-2 end-2.5 rounded-sm border border-line bg-raised px-1.5 text-xs leading-4 font-medium text-accent-text"
      >
        Last used
      </span>
    </div>
  );
}
