import { storeOf } from "../../harness/store.ts";
import { expect, test } from "../support/test.ts";
import { Program } from "../support/program.ts";
import { followedByPerson, raw } from "../support/raw.ts";
import { withSettings } from "../support/switches.ts";

const attempt = (program: Program, headers: Record<string, string> = {}) =>
  program.post("/sign-in/email", { email: "nobody@example.com", password: "not this one" }, headers);

withSettings({ ACCOUNTS_RATE_LIMIT: "true" }, (fixtures) => {
  test(
    "counts requests per connection address, ignoring headers, in the database",
    { tag: ["@count-per-connection-address-whatever-headers", "@slow"] },
    async () => {
      const { app } = fixtures();
      const program = new Program(app);
      const claims = ["X-Forwarded-For", "X-Real-IP", "CF-Connecting-IP", "Forwarded", "X-Client-IP", "x-atelier-client-address"];
      const statuses = [];
      for (const [index, name] of claims.entries()) statuses.push((await attempt(program, { [name]: `198.51.100.${index}` })).status);
      expect(statuses).toEqual([401, 401, 401, 429, 429, 429]);

      const refused = await attempt(program);
      expect(refused.body).toEqual({ code: "TOO_MANY_REQUESTS", message: "Too many requests. Please try again later." });
      const seconds = Number(refused.headers.get("Retry-After"));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(10);
      const page = await raw(
        `${app.url}/sign-in`,
        { "Content-Type": "application/x-www-form-urlencoded" },
        "email=nobody%40example.com&password=wrong+one",
      );
      expect(page.status).toBe(429);
      expect(page.retryAfter).toMatch(/^\d+$/);
      expect(page.text).toContain("Too many attempts");

      await app.stop();
      await app.start();
      // Keeps the counters inside their ten-second window on a slow machine.
      const store = await storeOf(app);
      const kept = (await store.find("rateLimits", {})).filter(({ key }) => String(key).includes("/sign-in/email"));
      expect(kept).toMatchObject([{ count: 3 }]);
      for (const { id } of kept) await store.change("rateLimits", { id: String(id) }, { lastRequest: Date.now() });
      expect((await attempt(program)).status).toBe(429);

      const pressed = () => raw(`${app.url}/sign-in/social`, { "Content-Type": "application/x-www-form-urlencoded" }, "provider=google");
      for (let each = 0; each < 3; each++) expect((await pressed()).status).toBe(200);
      const refusal = await pressed();
      expect([refusal.status, refusal.retryAfter]).toEqual([429, expect.stringMatching(/^\d+$/)]);
      expect(refusal.text).toContain("Too many attempts");
      await new Program(app).post("/sign-out");
      const counted = (await store.find("rateLimits", {})).map(({ key }) => String(key));
      expect([counted.some((key) => key.includes("/sign-in/social")), counted.some((key) => key.includes("/sign-out"))]).toEqual([
        true,
        false,
      ]);

      const follow = () => followedByPerson(app.url, "/api/auth/magic-link/verify?token=nothing");
      const first = await follow();
      expect([first.status, first.location]).toEqual([302, `${app.url}/?error=INVALID_TOKEN`]);
      let last = first;
      for (let each = 0; each < 6; each++) last = await follow();
      expect([last.status, last.location]).toEqual([302, "/error?error=TOO_MANY_REQUESTS"]);
      expect((await program.get("/magic-link/verify?token=nothing")).status).toBe(429);
    },
  );
});

withSettings({ ACCOUNTS_RATE_LIMIT: "true", TRUSTED_PROXY_HOPS: "1" }, (fixtures) => {
  const from = async (address: string, times: number) => {
    const statuses = [];
    for (let n = 0; n < times; n++) statuses.push((await attempt(new Program(fixtures().app), { "X-Forwarded-For": address })).status);
    return statuses;
  };

  test("counts requests per forwarded address behind a proxy", { tag: "@behind-proxy-count-per-forwarded-address" }, async () => {
    expect(await from("198.51.100.1", 4)).toEqual([401, 401, 401, 429]);
    expect(await from("198.51.100.2", 1)).toEqual([401]);
    expect(await from("203.0.113.9, 198.51.100.1", 1)).toEqual([429]);
  });

  test("counts an IPv6 /64 network as one client", async () => {
    expect(await from("2001:db8:1:1::1", 2)).toEqual([401, 401]);
    expect(await from("2001:db8:1:1:ffff::2", 2)).toEqual([401, 429]);
    expect(await from("2001:db8:1:2::1", 1)).toEqual([401]);
  });

  test(
    "limits forms without scripts, address and password changes, /forget-password",
    { tag: "@cover-forms-without-scripts-address-password" },
    async ({ social }) => {
      expect(social).toBeDefined();
      const { app } = fixtures();
      const once = (address: string, path: string, body: object) => new Program(app).post(path, body, { "X-Forwarded-For": address });
      const last = async (address: string, path: string, body: object, allowed = 3) => {
        let status = 0;
        for (let n = 0; n <= allowed; n++) ({ status } = await once(address, path, body));
        return status;
      };
      expect(await last("198.51.100.11", "/change-email", { newEmail: "a@example.com" })).toBe(429);
      expect(await last("198.51.100.12", "/change-password", {})).toBe(429);
      expect(await last("198.51.100.13", "/forget-password", { email: "a@example.com" })).toBe(429);
      expect(await last("198.51.100.14", "/request-password-reset", { email: "a@example.com" })).toBe(429);
      expect(await last("198.51.100.15", "/sign-up/email", {}, 9)).not.toBe(429);
      expect(await last("198.51.100.15", "/sign-up/email", {}, 0)).toBe(429);
      expect(await last("198.51.100.16", "/two-factor/verify-totp", { code: "000000" })).toBe(429);
      expect(await last("198.51.100.17", "/sign-in/social", { provider: "google" })).toBe(429);
      expect(await last("198.51.100.18", "/verify-password", { password: "not this one" })).toBe(429);
      expect(await last("198.51.100.19", "/delete-user", { password: "not this one" })).toBe(429);
    },
  );
});
