import { Folder, type IconNode, Image, Layers, Pencil, Star, Trash } from "lucide";
import type { ReactNode } from "react";
import { Shapes, SymbolsContext } from "./icon";

const REPEATED: readonly IconNode[] = [Folder, Image, Layers, Pencil, Star, Trash];

const symbols = new Map(REPEATED.map((icon, index) => [icon, `icon-${index}`]));

/** Draws the icons of rows once, as symbols that rows reference: inline, each takes up to 600 bytes of HTML. */
export function IconSymbols({ children }: { children: ReactNode }) {
  return (
    <SymbolsContext value={symbols}>
      <svg aria-hidden="true" className="hidden">
        {[...symbols].map(([icon, id]) => (
          <symbol key={id} id={id} viewBox="0 0 24 24">
            <Shapes of={icon} />
          </symbol>
        ))}
      </svg>
      {children}
    </SymbolsContext>
  );
}
