import { createContext } from "react";

/** The clock of a server rendering; records how long the HTML may be reused (`rendering/markup-cache.server.ts`). Null in the browser. */
export type Clock = {
  now: number;
  changesAt(at: number): void;
};

export const ClockContext = createContext<Clock | null>(null);
