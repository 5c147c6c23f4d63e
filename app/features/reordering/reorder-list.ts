import type { ItemDropTargets } from "~/features/selection/commands/use-item-drag";

export const HANDLE = ".drag-handle";

export type ReorderTarget = { to: "before" | "after"; beside: string } | { to: "last" };

export type ReorderList = {
  isEnabled: () => boolean;
  list: () => HTMLElement | null;
  indexOf: (id: string) => number;
  idAt: (index: number) => string | undefined;
  nameOf: (id: string | undefined) => string;
  at: (index: number) => string;
  hasMore: () => boolean;
  reorder: (id: string, aim: ReorderTarget) => void;
  dropTargets: () => ItemDropTargets | null;
};
