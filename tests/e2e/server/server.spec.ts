import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { BALANCED } from "../../harness/balanced.ts";
import { withAndWithoutJavaScript, expect, expectAccessible, signUp, test } from "../../harness/test.ts";

test.describe("an unknown path", () => {
  for (const user of ["signed out", "signed in"]) {
    test(`is answered with 404, ${user}`, async ({ page, app, context }) => {
      if (user === "signed in") await context.addCookies((await signUp(app.url)).cookies);
      for (const path of ["/nowhere", "/projects/a/b/c", "/images", "/assets/none.js"]) {
        const answer = await page.goto(path);
        expect(answer?.status(), path).toBe(404);
      }
      await page.goto("/nowhere");
      await expect(page.getByText("Page not found")).toBeVisible();
      await expectAccessible(page);
    });
  }
});

withAndWithoutJavaScript(() => {
  test.describe("/error", () => {
    test("shows the escaped code", { tag: "@shows-escaped-code" }, async ({ page }) => {
      const code = `<img src=x onerror="document.title='owned'">`;
      const answer = await page.goto(`/error?error=${encodeURIComponent(code)}`);
      expect(await answer?.text()).not.toContain("<img src=x");
      await expect(page.getByRole("heading", { name: "Authentication Error" })).toBeVisible();
      await expect(page.getByText(code)).toBeVisible();
      await expect(page).toHaveTitle(/Authentication Error/);
      await expectAccessible(page);
      await page.getByRole("link", { name: "Return to Application" }).click();
      await expect(page).toHaveURL("/sign-in");
    });

    test("shows Unknown without a code, also from /api/auth/error", async ({ page }) => {
      await page.goto("/error");
      await expect(page.getByText("Unknown", { exact: true })).toBeVisible();
      await page.goto("/api/auth/error?error=state_not_found");
      await expect(page).toHaveURL(/\/error\?error=state_not_found$/);
      await expect(page.getByText("state_not_found", { exact: true })).toBeVisible();
    });
  });
});

const NOTHING_FORWARDED = "browsers go to a deployment elsewhere themselves";

test.describe("what the public port forwards to the deployment", () => {
  const closed = [
    "GET /convex/version",
    "GET /convex/instance_name",
    "POST /convex/api/query",
    "POST /convex/api/mutation",
    "POST /convex/api/action",
    "POST /convex/api/function",
    "POST /convex/api/run/projects/getProjects",
    "POST /convex/api/query_ts",
    "POST /convex/api/query_at_ts",
    "POST /convex/api/get_config_hashes",
    "POST /convex/api/deploy2/start_push",
    "POST /convex/api/deploy2/finish_push",
    "POST /convex/api/update_environment_variables",
    "GET /convex/api/stream_function_logs",
    "POST /convex/api/storage/upload?token=x",
    "GET /convex/api/storage/x",
    "GET /convex/http/x",
    "GET /convex",
    "POST /api/query",
    "POST /api/deploy2/start_push",
    "GET /api/storage/x",
  ];
  for (const route of closed) {
    test(`is not ${route}, even for its administrator`, { tag: "@not-even-administrator" }, async ({ request, app }) => {
      const [method = "GET", path = ""] = route.split(" ");
      const { engineAdminKey } = JSON.parse(await readFile(join(app.dataDir, "secrets.json"), "utf8"));
      const answer = await request.fetch(path, {
        method,
        data: method === "POST" ? { path: "projects:getProjects", args: {}, adminKey: engineAdminKey } : undefined,
        headers: { Authorization: `Convex ${engineAdminKey}` },
      });
      expect(answer.status()).toBe(404);
    });
  }

  test("is the report of a long disconnect", async ({ request }) => {
    test.skip(BALANCED, NOTHING_FORWARDED);
    expect((await request.post("/convex/api/debug_event", { data: { event: "LongWebsocketDisconnect" } })).status()).toBe(200);
  });

  test("is the websocket, for our own pages", async ({ app }) => {
    test.skip(BALANCED, NOTHING_FORWARDED);
    const upgrade = async (origin: string) => {
      const socket = connect(Number(new URL(app.url).port), "127.0.0.1");
      const lines = [
        "GET /convex/api/1.27.0/sync HTTP/1.1",
        `Host: ${new URL(app.url).host}`,
        `Origin: ${origin}`,
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      ];
      socket.write(`${lines.join("\r\n")}\r\n\r\n`);
      const [chunk] = await once(socket, "data");
      socket.destroy();
      return String(chunk).split("\r\n", 1)[0];
    };
    expect(await upgrade(app.url)).toContain("101");
    expect(await upgrade("https://evil.example")).toContain("403");
  });
});

test.describe("answers", () => {
  test(
    "are private and carry the security headers if they are pages",
    { tag: "@pages-private-carry-security-headers" },
    async ({ request, person }) => {
      const { headers, html } = await request
        .get("/projects", { headers: { Cookie: person.cookieHeader } })
        .then(async (answer) => ({ headers: answer.headers(), html: await answer.text() }));
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(headers["cache-control"]).toMatch(/no-store|private/);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["referrer-policy"]).toBe("same-origin");
      expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
      expect(headers).not.toHaveProperty("x-powered-by");
      expect(headers).not.toHaveProperty("strict-transport-security");
      const policy = headers["content-security-policy"] ?? "";
      expect(policy).toMatch(/frame-ancestors 'none'/);
      expect(policy).toMatch(/object-src 'none'/);
      expect(policy).toMatch(/require-trusted-types-for 'script'/);
      expect(policy).not.toMatch(/script-src[^;]*'unsafe-/);
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
      expect(nonce).toBeTruthy();
      const scripts = [...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
      expect(scripts.length).toBeGreaterThan(0);
      for (const tag of scripts) expect(tag).toContain(`nonce="${nonce}"`);
    },
  );

  test("have another nonce each time", async ({ request }) => {
    const nonces = await Promise.all(
      [1, 2].map(async () => /'nonce-([^']+)'/.exec((await request.get("/sign-in")).headers()["content-security-policy"] ?? "")?.[1]),
    );
    expect(new Set(nonces).size).toBe(2);
  });

  test("are compressed, and build files are immutable", async ({ app, request }) => {
    const page = await fetch(`${app.url}/sign-in`, { headers: { "Accept-Encoding": "br" } });
    expect(page.headers.get("content-encoding")).toBe("br");
    const script = /\/assets\/[\w.-]+\.js/.exec(await page.text())?.[0] ?? "";
    const answer = await request.get(script);
    expect(answer.headers()).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-encoding": "br",
      "content-type": "text/javascript; charset=utf-8",
    });
    expect((await request.get("/robots.txt")).status()).toBe(200);
    expect((await request.get("/healthz")).status()).toBe(200);
  });

  test("are refused under a foreign host name", async ({ request }) => {
    test.skip(BALANCED, "behind a balancer APP_URL is the name, whatever a request says");
    expect((await request.get("/sign-in", { headers: { Host: "evil.example" } })).status()).toBe(421);
  });
});

test("behind a TLS proxy, sign-up works, cookies are Secure and HSTS is sent", async ({ launch }) => {
  const app = await launch({ APP_URL: "https://atelier.example", TRUSTED_PROXY_HOPS: "1" });
  const inside = {
    "X-Forwarded-For": "203.0.113.7",
    "X-Forwarded-Proto": "https",
    Origin: "https://atelier.example",
    "Content-Type": "application/json",
  };
  const body = JSON.stringify({ name: "Ada", email: "ada@example.com", password: "correct horse battery" });
  const answer = await fetch(`http://127.0.0.1:${app.port}/api/auth/sign-up/email`, { method: "POST", headers: inside, body });
  expect(answer.status).toBe(200);
  const cookies = answer.headers.getSetCookie();
  expect(cookies.length).toBeGreaterThan(0);
  for (const cookie of cookies) expect(cookie).toMatch(/^__Host-.*; Secure/i);
  const page = await fetch(`http://127.0.0.1:${app.port}/sign-in`, { headers: { "X-Forwarded-For": "203.0.113.7" } });
  expect(page.headers.get("strict-transport-security")).toMatch(/max-age=\d{8}/);
});
