/** By what a thing is taken to be put elsewhere. */
export const HANDLE = ".drag-handle";

/** Where a thing is put: beside another of its list, or at the list's end. */
export type Aim = { to: "before" | "after"; beside: string } | { to: "last" };

/** A list that is put in order by hand, as it is at the moment. Its things are known by their ids: which of them are drawn, and where, may change. */
export type Shelf = {
  /** Whether the list is in the order made by hand, and nothing else is done with it. */
  isOn: () => boolean;
  list: () => HTMLElement | null;
  indexOf: (id: string) => number;
  idAt: (index: number) => string | undefined;
  nameOf: (id: string | undefined) => string;
  /** "position 3 of 24". */
  at: (index: number) => string;
  /** Whether there is more of the list than is here. */
  goesOn: () => boolean;
  put: (id: string, aim: Aim) => void;
};
