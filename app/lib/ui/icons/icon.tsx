import { clsx } from "clsx";
import type { IconNode } from "lucide";
import { createContext, createElement, useContext } from "react";

/** Symbol ids by icon (`icon-symbols.tsx`); null: each icon draws itself. */
export const SymbolsContext = createContext<ReadonlyMap<IconNode, string> | null>(null);

export function Icon({ of: icon, className }: { of: IconNode; className?: string }) {
  const symbol = useContext(SymbolsContext)?.get(icon);
  const classes = clsx("icon", className);
  return symbol === undefined ? (
    <svg aria-hidden="true" viewBox="0 0 24 24" className={classes}>
      <Shapes of={icon} />
    </svg>
  ) : (
    <svg aria-hidden="true" className={classes}>
      <use href={`#${symbol}`} />
    </svg>
  );
}

export function Shapes({ of: icon }: { of: IconNode }) {
  return icon.map(([tag, attributes], index) => createElement(tag, { key: index, ...attributes }));
}
