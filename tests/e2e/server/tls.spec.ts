import { randomUUID } from "node:crypto";
import { freePort } from "../../harness/app.ts";
import { startTlsProxy } from "../../harness/proxies/tls-proxy.ts";
import { expect, hydrated, test } from "../../harness/test.ts";

test(
  "on https, behind a TLS proxy: forms, live pages and Secure cookies work",
  { tag: ["@https-behind-tls-proxy-forms-live", "@slow"] },
  async ({ launch, browser }) => {
    const port = await freePort();
    const origin = `https://localhost:${port}`;
    const app = await launch({ APP_URL: origin, TRUSTED_PROXY_HOPS: "1" });
    const proxy = await startTlsProxy(port, () => app.port);
    try {
      const settings = { baseURL: origin, ignoreHTTPSErrors: true };
      const email = `${randomUUID()}@example.com`;

      const plain = await browser.newContext({ ...settings, javaScriptEnabled: false });
      const page = await plain.newPage();
      const first = await page.goto("/sign-up");
      const headers = first?.headers() ?? {};
      expect(headers["strict-transport-security"]).toBe("max-age=31536000; includeSubDomains");
      expect(headers["content-security-policy"]).toContain("upgrade-insecure-requests");
      expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
      expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
      await page.getByLabel("Name", { exact: true }).fill("Ada");
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password", { exact: true }).fill("correct horse battery staple");
      await page.getByRole("button", { name: /sign up|create account/i }).click();
      await expect(page).toHaveURL("/projects");
      const cookies = await plain.cookies();
      expect(cookies.length).toBeGreaterThan(1);
      for (const { name, secure, httpOnly, sameSite, path } of cookies.filter((each) => /session|convex/.test(each.name)))
        expect([name.startsWith("__Host-"), secure, httpOnly, sameSite, path], name).toEqual([true, true, true, "Lax", "/"]);

      const scripted = await browser.newContext(settings);
      await scripted.addCookies(cookies);
      const live = await scripted.newPage();
      const socket = live.waitForEvent("websocket");
      await live.goto("/projects");
      await hydrated(live);
      expect((await socket).url()).toMatch(new RegExp(`^wss://localhost:${port}/convex/`));
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
      const send = (headersOf: Record<string, string>, name: string) =>
        plain.request.post("/projects", {
          form: { intent: "createProject", name },
          maxRedirects: 0,
          headers: { Cookie: cookie, ...headersOf },
        });
      expect((await send({ Origin: origin }, "Over TLS")).status()).toBe(303);
      await expect(live.getByRole("main").getByText("Over TLS")).toBeVisible();
      for (const foreign of [
        `http://localhost:${port}`,
        `http://127.0.0.1:${app.port}`,
        "https://localhost",
        "https://evil.example",
        "null",
      ])
        expect((await send({ Origin: foreign }, "Foreign")).status(), foreign).toBe(403);
      expect((await send({ Origin: origin, "Sec-Fetch-Site": "same-site" }, "Foreign")).status()).toBe(403);
      await expect(live.getByRole("main").getByText("Foreign")).toHaveCount(0);
      await Promise.all([plain.close(), scripted.close()]);
    } finally {
      await proxy.close();
    }
  },
);
