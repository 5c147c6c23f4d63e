import type { ReactNode } from "react";

export function FactRow({ children }: { children: ReactNode }) {
  return <li className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-0.5 bg-card px-4 py-2">{children}</li>;
}

export function ActionRow({ children }: { children: ReactNode }) {
  return <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 bg-card px-4 py-2.5">{children}</li>;
}
