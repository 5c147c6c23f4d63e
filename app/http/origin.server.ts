import type { AppConfig } from "~/config";

/** The one origin that a request belongs to: APP_URL's, or, without one, the loopback host that it came to. */
export const originOf = (config: AppConfig, request: Request): string => new URL(config.appUrl ?? request.url).origin;
