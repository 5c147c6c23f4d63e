import type { LucideIcon } from "lucide-react";
import { createContext, useContext } from "react";
import { clsx } from "clsx";

/** Symbol ids by icon (`icon-symbols.tsx`); null: each icon draws itself. */
export const SymbolsContext = createContext<ReadonlyMap<LucideIcon, string> | null>(null);

/** Props of each drawn icon. `.icon` sets the other attributes that Lucide repeats in each icon: 116 bytes of HTML. */
export const DRAWN = {
  strokeWidth: 1.75,
  xmlns: undefined,
  fill: undefined,
  stroke: undefined,
  strokeLinecap: undefined,
  strokeLinejoin: undefined,
} as const;

export function Icon({ of: Shape, className }: { of: LucideIcon; className?: string }) {
  const symbol = useContext(SymbolsContext)?.get(Shape);
  const classes = clsx("icon", className);
  if (symbol === undefined) return <Shape aria-hidden="true" {...DRAWN} className={classes} />;
  return (
    <svg aria-hidden="true" className={classes}>
      <use href={`#${symbol}`} />
    </svg>
  );
}
