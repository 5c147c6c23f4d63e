import type { LucideIcon } from "lucide-react";
import { createContext, useContext } from "react";
import { clsx } from "clsx";

/** By icon, the id of the symbol in this document that draws it (`symbols.tsx`); null: each icon draws itself. */
export const SymbolsContext = createContext<ReadonlyMap<LucideIcon, string> | null>(null);

/** How heavy the lines are, in parts of an icon's 24. */
export const STROKE = 1.75;

/** An icon of the one set. It is decoration: the text beside it, or its button's label, says what it means. */
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
