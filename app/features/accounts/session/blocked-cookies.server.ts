/** Returns whether the browser dropped the session cookie after /sign-in. No link of that page leads to a page that needs a session. */
export function areCookiesBlocked({ headers }: Request, url: URL): boolean {
  if (headers.has("Cookie") || !url.searchParams.has("redirectTo")) return false;
  // Data requests revalidate the current page, so their referrer is that page.
  if (!headers.get("Accept")?.includes("text/html")) return false;
  const referrer = URL.parse(headers.get("Referer") ?? "");
  return referrer?.host === url.host && referrer.pathname === "/sign-in";
}
