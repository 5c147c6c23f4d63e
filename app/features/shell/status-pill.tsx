import type { ReactNode } from "react";

export function StatusPill({ children }: { children: ReactNode }) {
  return (
    <div
      data-print="hide"
      className="pointer-events-none fixed inset-x-0 top-2 z-40 flex justify-center px-2 max-md:top-16 [&>*]:pointer-events-auto"
    >
      <div className="flex max-w-full items-center gap-1 rounded-full border border-edge bg-raised p-0.5 shadow-lift">{children}</div>
    </div>
  );
}
