import type { ConvexHttpClient } from "convex/browser";
import type { AppConfig } from "~/config";

/** The app server's own client: for the functions that only it may call. It signs in anew by itself before its token runs out. */
export declare function serviceConvex(config: AppConfig): ConvexHttpClient;
