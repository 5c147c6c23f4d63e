import { useSyncExternalStore } from "react";

/** False on the server and while hydrating, then true. A component that mounts later renders once; with state set by an effect it would render twice. */
export const useScripted = (): boolean => useSyncExternalStore(never, yes, no);

const never = () => () => {};
const yes = () => true;
const no = () => false;
