import { createContext } from "react-router";

/** Which build this is: the version of its client, and the file that only this build has. */
export type BuildIdentity = { version: string; file: string };

/** Set by `createApp` for every request. */
export const buildContext = createContext<BuildIdentity>();
