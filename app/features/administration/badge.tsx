import type { ReactNode } from "react";

export function Badge({ children }: { children: ReactNode }) {
  return <span className="whitespace-nowrap rounded-sm bg-hover px-1.5 py-0.5 text-xs font-medium text-accent-text">{children}</span>;
}
