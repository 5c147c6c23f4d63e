import type { Browser, Page } from "@playwright/test";
import { freePort, type RunningApp, START_TIMEOUT, startApp } from "../harness/app.ts";
import { type Person, test as base } from "../harness/test.ts";
import type { ProxyName } from "./programs.ts";
import { type RunningProxy, startProxy } from "./running-proxy.ts";

export { expect, hydrated, signUp } from "../harness/test.ts";

export type Behind = ProxyName | "nginx with its defaults";

export type Site = { app: RunningApp; proxies: Record<Behind, RunningProxy> };

const DEFAULTS = `server {
  listen 443 ssl http2;
  ssl_certificate /etc/ssl/atelier.crt;
  ssl_certificate_key /etc/ssl/atelier.key;
  location / { proxy_pass http://127.0.0.1:3000; }
}`;

export const test = base.extend<object, { site: Site }>({
  site: [
    async ({}, use) => {
      const target = await freePort();
      const start = async (name: ProxyName, configuration?: string) => {
        const port = await freePort();
        // Without `proxy_set_header Host`, nginx sends the host of its target.
        const url = `https://${configuration === undefined ? "localhost" : "127.0.0.1"}:${port}`;
        return startProxy(name, { port, target, url, ...(configuration !== undefined && { configuration }) });
      };
      const proxies: Site["proxies"] = {
        nginx: await start("nginx"),
        Caddy: await start("Caddy"),
        HAProxy: await start("HAProxy"),
        Apache: await start("Apache"),
        "nginx with its defaults": await start("nginx", DEFAULTS),
      };
      const app = await startApp({
        PORT: `${target}`,
        APP_URL: Object.values(proxies)
          .map(({ url }) => url)
          .join(","),
        TRUSTED_PROXY_HOPS: "1",
        ACCOUNTS_RATE_LIMIT: "true",
      });
      await use({ app, proxies });
      await app.dispose();
      await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
    },
    { scope: "worker", timeout: 2 * START_TIMEOUT },
  ],
});

export async function openPage(
  browser: Browser,
  { url }: Pick<RunningProxy, "url">,
  person: Person,
  options: { javaScriptEnabled?: boolean } = {},
): Promise<{ page: Page; websockets: string[] }> {
  const context = await browser.newContext({ baseURL: url, ignoreHTTPSErrors: true, ...options });
  await context.addCookies(person.cookies.map((cookie) => ({ ...cookie, url })));
  const page = await context.newPage();
  const websockets: string[] = [];
  page.on("websocket", (socket) => void websockets.push(socket.url()));
  return { page, websockets };
}
