import {
  ArrowDown,
  ArrowUp,
  Copy,
  Download,
  Folder,
  FolderInput,
  Layers,
  type LucideIcon,
  MoreHorizontal,
  Pencil,
  Star,
  Trash2,
} from "lucide-react";
import type { ReactNode } from "react";
import { STROKE, SymbolsContext } from "./icon";

/** The icons that stand in every row of a list. */
const REPEATED: readonly LucideIcon[] = [
  ArrowDown,
  ArrowUp,
  Copy,
  Download,
  Folder,
  FolderInput,
  Layers,
  MoreHorizontal,
  Pencil,
  Star,
  Trash2,
];

const symbols = new Map(REPEATED.map((icon, index) => [icon, `icon-${index}`]));

/**
 * Draws the icons of rows once, as symbols that the rows refer to. Each would be some 600 bytes of HTML and half a dozen elements to render
 * otherwise: of a list of fifty cards with their menus that was more than half of the page.
 */
export function Symbols({ children }: { children: ReactNode }) {
  return (
    <SymbolsContext value={symbols}>
      <svg aria-hidden="true" className="hidden">
        {[...symbols].map(([Shape, id]) => (
          <symbol key={id} id={id} viewBox="0 0 24 24">
            <Shape strokeWidth={STROKE} />
          </symbol>
        ))}
      </svg>
      {children}
    </SymbolsContext>
  );
}
