import type { ReactNode } from "react";

/** Something about the app as a whole, at the window's upper edge, above whatever the page shows. */
export function Pill({ children }: { children: ReactNode }) {
  return (
    <div
      data-print="hide"
      className="pointer-events-none fixed inset-x-0 top-2 z-40 flex justify-center px-2 max-md:top-16 [&>*]:pointer-events-auto"
    >
      <div className="flex max-w-full items-center gap-1 rounded-full border border-edge bg-raised p-0.5 shadow-lift">{children}</div>
    </div>
  );
}
