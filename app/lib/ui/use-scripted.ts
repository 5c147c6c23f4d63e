import { useSyncExternalStore } from "react";

/** False on the server and while hydrating, then true. What mounts later renders once, unlike with state that an effect sets. */
export const useScripted = (): boolean => useSyncExternalStore(never, yes, no);

const never = () => () => {};
const yes = () => true;
const no = () => false;
