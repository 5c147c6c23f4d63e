import type { Page } from "@playwright/test";

/** Returns a function that returns the texts of all scripts that the page has loaded. Bodies of responses are gone once a page navigates. */
export function loadedScripts(page: Page): () => Promise<string[]> {
  const urls = new Set<string>();
  page.on("request", (request) => {
    if (new URL(request.url()).pathname.endsWith(".js")) urls.add(request.url());
  });
  return () => Promise.all([...urls].map(async (url) => (await fetch(url)).text()));
}
