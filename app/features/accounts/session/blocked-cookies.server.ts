const FORM_PAGES = new Set(["/sign-in", "/sign-up", "/two-factor"]);

/** Returns whether the browser blocks cookies: a form page sent this request without one. Links between these pages send no referrer. */
export function areCookiesBlocked({ headers }: Request, url: URL): boolean {
  if (headers.has("Cookie")) return false;
  // Data requests revalidate the current page, so their referrer is that page.
  if (!headers.get("Accept")?.includes("text/html")) return false;
  const referrer = URL.parse(headers.get("Referer") ?? "");
  return referrer?.host === url.host && FORM_PAGES.has(referrer.pathname);
}
