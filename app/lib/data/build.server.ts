import { createContext } from "react-router";

export type BuildIdentity = { version: string; file: string };

export const buildContext = createContext<BuildIdentity>();
