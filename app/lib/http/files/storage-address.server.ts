import type { AppConfig } from "~/config";

/** Returns the address at which this server reaches a stored file. The deployment names those for browsers. */
export function storageAddress({ convexUrl, browserConvex }: Pick<AppConfig, "convexUrl" | "browserConvex">, url: string): string {
  if (browserConvex.kind === "sameOrigin" || !url.startsWith(`${browserConvex.url}/`)) return url;
  return convexUrl + url.slice(browserConvex.url.length);
}
