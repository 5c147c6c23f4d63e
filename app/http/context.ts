import { createContext } from "react-router";
import type { AppConfig } from "~/config";

/** What the server knows about where it runs; set by `createApp` for every request. */
export const configContext = createContext<AppConfig>();

/** The address of whoever is asking, after our own count of trusted proxies; set by `createApp`, never read from a header. */
export const clientAddressContext = createContext<string>();

/** The one-time value that this response's scripts carry (Content-Security-Policy); set by `secureHeaders`. */
export const nonceContext = createContext<string>();
