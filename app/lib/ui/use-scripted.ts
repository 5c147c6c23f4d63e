import { useSyncExternalStore } from "react";

/** Returns false on the server and while hydrating, then true. State set by an effect would render components that mount later twice. */
export const useScripted = (): boolean => useSyncExternalStore(never, yes, no);

const never = () => () => {};
const yes = () => true;
const no = () => false;
