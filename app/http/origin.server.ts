import type { AppConfig } from "~/config";

/** Several parts of an answer want to know it: it is read once for settings that name it, or else for a request. */
const known = new WeakMap<AppConfig | Request, string>();

/** The one origin that a request belongs to: APP_URL's, or, without one, the loopback host that it came to. */
export function originOf(config: AppConfig, request: Request): string {
  const [whose, address] = config.appUrl === null ? [request, request.url] : [config, config.appUrl];
  const origin = known.get(whose) ?? new URL(address).origin;
  known.set(whose, origin);
  return origin;
}
