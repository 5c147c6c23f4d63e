import { createContext } from "react-router";
import type { AppConfig } from "~/config";

export const configContext = createContext<AppConfig>();

/** The client's address as reported by the trusted proxies; set by `createApp`, never read from a header. */
export const clientAddressContext = createContext<string>();

export const nonceContext = createContext<string>();
