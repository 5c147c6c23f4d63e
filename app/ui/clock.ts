import { createContext } from "react";

/**
 * By what a rendering on the server tells the time: the same throughout, and with a note of until when what was made of it stands, so that the
 * page's markup can be used again for that long (`rendering/kept-pages.server.ts`). In a browser there is none: its own clock runs on.
 */
export type Clock = {
  now: number;
  /** Something on the page reads differently from `at` on, in ms. */
  changesAt(at: number): void;
};

export const ClockContext = createContext<Clock | null>(null);
