import type { LucideIcon } from "lucide-react";
import { createContext, useContext } from "react";
import { clsx } from "clsx";

/** Symbol ids by icon (`icon-symbols.tsx`); null: each icon draws itself. */
export const SymbolsContext = createContext<ReadonlyMap<LucideIcon, string> | null>(null);

export const STROKE = 1.75;

export function Icon({ of: Shape, className }: { of: LucideIcon; className?: string }) {
  const symbol = useContext(SymbolsContext)?.get(Shape);
  const classes = clsx("icon", className);
  if (symbol === undefined) return <Shape aria-hidden="true" strokeWidth={STROKE} className={classes} />;
  return (
    <svg aria-hidden="true" className={classes}>
      <use href={`#${symbol}`} />
    </svg>
  );
}
