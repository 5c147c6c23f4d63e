import { isMirrored } from "~/lib/ui/is-mirrored";

export type DropDesignsOf = { projectId: string; left: number; top: number };

const listeners = new Set<(shown: DropDesignsOf | null) => void>();

export function showDropDesigns(shown: DropDesignsOf | null): void {
  for (const listener of listeners) listener(shown);
}

export function onDropDesigns(listener: (shown: DropDesignsOf | null) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const DROP_DESIGNS_WIDTH = 256;

export function dropDesignsOf(link: HTMLAnchorElement): DropDesignsOf {
  const { left, right, top, bottom } = link.getBoundingClientRect();
  const projectId = link.pathname.split("/").at(-1) ?? "";
  const isBeside = link.closest(".sidebar") !== null;
  const start = isMirrored() ? (isBeside ? left : right) - DROP_DESIGNS_WIDTH : isBeside ? right : left;
  return { projectId, left: start, top: isBeside ? top : bottom };
}
