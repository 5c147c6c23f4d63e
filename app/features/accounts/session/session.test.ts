import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { AppConfig } from "~/config";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { testConfig } from "~/lib/http/testing";
import { startTestDeployment, type TestDeployment } from "../../../../tests/convex/deployment.ts";
import { passToAuth, postToAuth } from "../auth-api/auth-request.server";
import { convexTokenResponse } from "./convex/convex-token.server";
import { renewVisitor, requireVisitor, sessionMiddleware, redirectToSignIn, getVisitor } from "./session.server";
import { readUserToken } from "./convex/tokens.server";

const ORIGIN = "http://localhost:3000";

let deployment: TestDeployment;
let config: AppConfig;
beforeAll(async () => {
  deployment = await startTestDeployment();
  config = {
    ...testConfig,
    origins: [],
    strictTransportSecurity: {},
    convexUrl: deployment.url,
    signingKey: deployment.signingKey,
    accounts: { ...testConfig.accounts, rateLimit: false },
  };
});
afterAll(() => deployment.close());

class Browser {
  readonly cookies = new Map<string, string>();

  request(path: string, headers: Record<string, string> = {}, init: RequestInit = {}): Request {
    const Cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return new Request(ORIGIN + path, { ...init, headers: { ...(Cookie && { Cookie }), Origin: ORIGIN, ...headers } });
  }

  keep(response: Response): Response {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";", 1);
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      if (/max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  async post(path: `/${string}`, body: Record<string, unknown>): Promise<Response> {
    const request = this.request("/sign-in", {}, { method: "POST" });
    return this.keep(await postToAuth({ request, context: contextOf(config) }, path, body));
  }

  async visit<Result>(handler: (context: RouterContextProvider) => Promise<Result>, settings = config): Promise<Result> {
    const request = this.request("/projects");
    const context = contextOf(settings);
    const results: Result[] = [];
    const answer = await sessionMiddleware({ request, context, params: {}, url: new URL(request.url), pattern: "/" }, async () => {
      results.push(await handler(context));
      return new Response();
    });
    if (answer instanceof Response) this.keep(answer);
    const [result] = results;
    if (result === undefined) throw new Error("not visited");
    return result;
  }
}

function contextOf(settings: AppConfig): RouterContextProvider {
  const context = new RouterContextProvider();
  context.set(configContext, settings);
  context.set(clientAddressContext, "192.0.2.7");
  return context;
}

let people = 0;
let person: { name: string; email: string; password: string };
let browser: Browser;
beforeEach(async () => {
  person = { name: "Ada Lovelace", email: `ada${people++}@example.com`, password: "correct horse battery" };
  browser = new Browser();
  const answer = await browser.post("/sign-up/email", person);
  if (!answer.ok) throw new Error(await answer.text());
});

async function requestsDuring(what: () => Promise<unknown>): Promise<string[]> {
  const spy = vi.spyOn(globalThis, "fetch");
  await what();
  const requested = spy.mock.calls.map(([input]) => (input instanceof Request ? input.url : input.toString()));
  spy.mockRestore();
  return requested;
}

describe("visitor", () => {
  it("is null without a session, and needs no request", async () => {
    expect(await requestsDuring(async () => expect(await new Browser().visit(getVisitor)).toBeNull())).toEqual([]);
  });

  it("returns the signed-in user with their token", { tags: "@who-signed-token-theirs" }, async () => {
    const visitor = await browser.visit(getVisitor);
    expect(visitor).toMatchObject({ user: { name: person.name, email: person.email, emailVerified: false, image: null } });
    expect(await readUserToken(config.signingKey, visitor?.convexToken ?? "")).toMatchObject({
      userId: visitor?.userId,
      sessionId: visitor?.sessionId,
    });
  });

  it(
    "is read from the token's cookie on later visits, without a request",
    { tags: "@known-from-tokens-cookie-afterwards-without" },
    async () => {
      const first = await browser.visit(getVisitor);
      const requested = await requestsDuring(async () => expect(await browser.visit(getVisitor)).toEqual(first));
      expect(requested).toEqual([]);
    },
  );

  it("gets a new token before the old one expires", async () => {
    browser.cookies.delete("atelier.convex_token");
    vi.useFakeTimers({ now: Date.now() - 14.5 * 60_000, toFake: ["Date"] });
    const first = await browser.visit(getVisitor).finally(() => vi.useRealTimers());
    const second = await browser.visit(getVisitor);
    expect(second?.userId).toBe(first?.userId);
    expect(second?.convexToken).not.toBe(first?.convexToken);
  });

  it("ignores a token cookie of another session", { tags: "@ignores-token-cookie-another-session" }, async () => {
    await browser.visit(getVisitor);
    const other = new Browser();
    await other.post("/sign-up/email", { ...person, name: "Eve", email: `eve${people++}@example.com` });
    for (const [name, value] of browser.cookies) if (name.includes("convex")) other.cookies.set(name, value);
    expect((await other.visit(getVisitor))?.user.name).toBe("Eve");
    other.cookies.delete("atelier.session_token");
    expect(await other.visit(getVisitor)).toBeNull();
  });

  it("is null after a lookup of an ended session, which deletes the token cookie", async () => {
    await browser.visit(getVisitor);
    const elsewhere = new Browser();
    await elsewhere.post("/sign-in/email", person);
    await elsewhere.post("/revoke-other-sessions", {});
    expect(await browser.visit(renewVisitor)).toBeNull();
    expect([...browser.cookies.keys()].toSorted()).toEqual(["atelier.device", "atelier.last_method", "atelier.session_token"]);
  });

  it("is looked up again after a profile change", async () => {
    await browser.visit(getVisitor);
    await browser.post("/update-user", { name: "Augusta King" });
    expect((await browser.visit(getVisitor))?.user.name).toBe("Augusta King");
  });

  it("throws a 503 while the deployment does not respond", { tags: "@throws-503-while-deployment-does-not" }, async () => {
    browser.cookies.delete("atelier.convex_token");
    const down = { ...config, convexUrl: "http://127.0.0.1:3" };
    await expect(browser.visit(getVisitor, down)).rejects.toMatchObject({ init: { status: 503 } });
    expect(browser.cookies.has("atelier.session_token")).toBe(true);
    expect(await browser.visit(getVisitor)).not.toBeNull();
  });
});

describe("requireVisitor", () => {
  it("redirects signed-out visitors to /sign-in and back", async () => {
    const stranger = new Browser();
    const request = stranger.request("/design/1?x=1");
    const context = contextOf(config);
    const args = { request, context, params: {}, url: new URL(request.url), pattern: "/" };
    const answer = await sessionMiddleware(args, async () => {
      const inner = requireVisitor(args, async () => new Response("secret"));
      return Promise.resolve(inner).then(
        () => new Response("let in"),
        (thrown: unknown) => (thrown instanceof Response ? thrown : new Response("failed")),
      );
    });
    expect(answer).toMatchObject({ status: 302 });
    expect(answer instanceof Response && answer.headers.get("Location")).toBe("/sign-in?redirectTo=%2Fdesign%2F1%3Fx%3D1");
  });

  it.each([
    ["/projects/1.data?_routes=routes%2Fproject", "/projects/1"],
    ["/_.data", "/"],
    ["/_root.data", "/"],
    ["/design/1.data?x=1&index", "/design/1?x=1"],
  ])("returns to the page of %s", (requested, page) => {
    expect(redirectToSignIn(new Request(ORIGIN + requested)).headers.get("Location")).toBe(
      `/sign-in?${new URLSearchParams({ redirectTo: page })}`,
    );
  });

  it.each(["/projects", "/projects/", "/projects.data?_routes=routes%2Fprojects"])("redirects from %s without redirectTo", (requested) => {
    expect(redirectToSignIn(new Request(ORIGIN + requested)).headers.get("Location")).toBe("/sign-in");
  });

  it.each([
    [`/search?q=${"a".repeat(1_900)}`, `/sign-in?redirectTo=%2Fsearch%3Fq%3D${"a".repeat(1_900)}`],
    [`/search?q=${"%E6".repeat(1_000)}`, "/sign-in?redirectTo=%2Fsearch"],
    [`/design/1?error=${"e".repeat(4_000)}`, "/sign-in"],
    [`/design/${"a".repeat(4_000)}`, "/sign-in"],
  ])("shortens an address that a proxy's header buffer cannot contain", (requested, location) => {
    expect(redirectToSignIn(new Request(ORIGIN + requested)).headers.get("Location")).toBe(location);
  });

  it.each([
    ["/projects?error=email_not_found", "/sign-in?error=email_not_found"],
    ["/account?tab=1&error=INVALID_TOKEN", "/sign-in?redirectTo=%2Faccount%3Ftab%3D1&error=INVALID_TOKEN"],
  ])("keeps the error of %s", (requested, location) => {
    expect(redirectToSignIn(new Request(ORIGIN + requested)).headers.get("Location")).toBe(location);
  });
});

describe("the token endpoint", () => {
  it("returns a new token and stores it for the next page", async () => {
    const first = await browser.visit(getVisitor);
    await new Promise((resolve) => setTimeout(resolve, 1001 - (Date.now() % 1000)));
    const answer = await browser.visit(convexTokenResponse);
    const { token } = await answer.json();
    expect(answer.status).toBe(200);
    expect(token).not.toBe(first?.convexToken);
    expect((await browser.visit(getVisitor))?.convexToken).toBe(token);
  });

  it("answers 401 when signed out, and 503 when the session is unknown", async () => {
    expect((await new Browser().visit(convexTokenResponse)).status).toBe(401);
    await expect(browser.visit(convexTokenResponse, { ...config, convexUrl: "http://127.0.0.1:3" })).rejects.toMatchObject({
      init: { status: 503 },
    });
  });
});

describe("Better Auth behind the app", () => {
  const signIn = (settings: AppConfig, headers: Record<string, string> = {}, password = person.password) =>
    passToAuth({
      context: contextOf(settings),
      request: new Request(`${ORIGIN}/api/auth/sign-in/email`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify({ email: person.email, password }),
      }),
    });

  it("answers a sign-in with 503, not 401, while the deployment is down", async () => {
    const answer = await signIn({ ...config, convexUrl: "http://127.0.0.1:3" });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("Retry-After")).toBe("5");
  });

  it("counts attempts by the trusted client address, not by the client's header", async () => {
    const limited = { ...config, accounts: { ...config.accounts, rateLimit: true } };
    const attempt = (n: number) =>
      signIn(limited, { "X-Forwarded-For": `198.51.100.${n}`, "x-atelier-client-address": `198.51.100.${n}` }, "wrong password");
    for (const n of [1, 2, 3]) expect((await attempt(n)).status).toBe(401);
    const refused = await attempt(4);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  });

  it("sets __Host- cookies over https", async () => {
    const secure = { ...config, origins: ["https://atelier.example"] };
    const answer = await signIn(secure);
    const cookies = answer.headers.getSetCookie();
    expect(cookies.some((cookie) => cookie.startsWith("__Host-atelier.session_token="))).toBe(true);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^__Host-atelier\./);
      for (const attribute of ["; Path=/", "; HttpOnly", "; Secure", "; SameSite=Lax"]) expect(cookie).toContain(attribute);
      expect(cookie).not.toContain("Domain");
    }
  });

  it("limits names and pictures to the size of a cookie", async () => {
    const answer = await browser.post("/update-user", { name: "x".repeat(201) });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it("accepts one of two concurrent sign-ups with one address", async () => {
    const email = `twice${people++}@example.com`;
    const both = await Promise.all([1, 2].map(() => new Browser().post("/sign-up/email", { ...person, email })));
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
  });

  it.each([
    ["/api/auth/error?error=state_not_found", "/error?error=state_not_found"],
    ["/api/auth/error", "/error"],
    ["/api/auth/error?error=%3Cscript%3E", "/error?error=%3Cscript%3E"],
  ])("redirects %s to our own page", async (path, target) => {
    const answer = await passToAuth({ context: contextOf(config), request: new Request(ORIGIN + path) });
    expect(answer.status).toBe(302);
    expect(answer.headers.get("Location")).toBe(target);
  });

  it("accepts the old path of the reset request", async () => {
    const answer = await browser.post("/forget-password", { email: person.email });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ message: "Reset password isn't enabled" });
  });

  it("rejects a form from another origin", async () => {
    expect((await signIn(config, { Origin: "https://evil.example" })).status).toBe(403);
    expect((await signIn(config, { Cookie: "a=b" })).status).toBe(403);
    expect((await signIn(config)).status).toBe(200);
  });
});
