import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { AppConfig } from "~/config";
import { clientAddressContext, configContext } from "~/http/context";
import { testConfig } from "~/http/testing";
import { startTestDeployment, type TestDeployment } from "../../tests/convex/deployment.ts";
import { authFor } from "./auth.server";
import { passToAuth, postToAuth } from "./auth-request.server";
import { convexTokenAnswer } from "./convex-token.server";
import { renewVisitor, requireVisitor, sessionMiddleware, toSignIn, visitor } from "./session.server";
import { readUserToken } from "./tokens.server";

const ORIGIN = "http://localhost:3000";

let deployment: TestDeployment;
let config: AppConfig;
beforeAll(async () => {
  deployment = await startTestDeployment();
  config = {
    ...testConfig,
    appUrl: null,
    convexUrl: deployment.url,
    signingKey: deployment.signingKey,
    accounts: { ...testConfig.accounts, rateLimit: false },
  };
});
afterAll(() => deployment.close());

/** A browser: keeps the cookies that it is told to. */
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

  /** Visits a page whose loader does `look`. */
  async visit<Result>(look: (context: RouterContextProvider) => Promise<Result>, settings = config): Promise<Result> {
    const request = this.request("/projects");
    const context = contextOf(settings);
    const results: Result[] = [];
    const answer = await sessionMiddleware({ request, context, params: {}, url: new URL(request.url), pattern: "/" }, async () => {
      results.push(await look(context));
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

/** What the network is asked for while something is done. */
async function requestsDuring(what: () => Promise<unknown>): Promise<string[]> {
  const spy = vi.spyOn(globalThis, "fetch");
  await what();
  const asked = spy.mock.calls.map(([input]) => (input instanceof Request ? input.url : input.toString()));
  spy.mockRestore();
  return asked;
}

describe("visitor", () => {
  it("is nobody without a session, and asks nobody for that", async () => {
    expect(await requestsDuring(async () => expect(await new Browser().visit(visitor)).toBeNull())).toEqual([]);
  });

  it("is who signed in, with a token of theirs", async () => {
    const who = await browser.visit(visitor);
    expect(who).toMatchObject({ user: { name: person.name, email: person.email, emailVerified: false, image: null } });
    expect(await readUserToken(config.signingKey, who?.convexToken ?? "")).toMatchObject({
      userId: who?.userId,
      sessionId: who?.sessionId,
    });
  });

  it("is known from the token's cookie afterwards, without asking anybody", async () => {
    const first = await browser.visit(visitor);
    const asked = await requestsDuring(async () => expect(await browser.visit(visitor)).toEqual(first));
    expect(asked).toEqual([]);
  });

  it("gets a new token when the old one runs out", async () => {
    const first = await browser.visit(visitor);
    vi.useFakeTimers({ now: Date.now() + 14.5 * 60_000, toFake: ["Date"] });
    const second = await browser.visit(visitor);
    vi.useRealTimers();
    expect(second?.userId).toBe(first?.userId);
    expect(second?.convexToken).not.toBe(first?.convexToken);
  });

  it("is not whom a token's cookie names that belongs to another session", async () => {
    await browser.visit(visitor);
    const other = new Browser();
    await other.post("/sign-up/email", { ...person, name: "Eve", email: `eve${people++}@example.com` });
    for (const [name, value] of browser.cookies) if (name.includes("convex")) other.cookies.set(name, value);
    expect((await other.visit(visitor))?.user.name).toBe("Eve");
    other.cookies.delete("atelier.session_token");
    expect(await other.visit(visitor)).toBeNull();
  });

  it("is nobody once a session that ended is looked up anew, and the cookies go", async () => {
    await browser.visit(visitor);
    const elsewhere = new Browser();
    await elsewhere.post("/sign-in/email", person);
    await elsewhere.post("/revoke-other-sessions", {});
    expect(await browser.visit(renewVisitor)).toBeNull();
    // The device is known by its mark however often somebody signs out, and knows by what they came; the cookie of a session that is over opens nothing.
    expect([...browser.cookies.keys()].toSorted()).toEqual(["atelier.device", "atelier.last_method", "atelier.session_token"]);
  });

  it("is looked up anew after a change of who they are", async () => {
    await browser.visit(visitor);
    await browser.post("/update-user", { name: "Augusta King" });
    expect((await browser.visit(visitor))?.user.name).toBe("Augusta King");
  });

  it("is neither signed in nor out while the deployment does not answer", async () => {
    const down = { ...config, convexUrl: "http://127.0.0.1:3" };
    await expect(browser.visit(visitor, down)).rejects.toMatchObject({ init: { status: 503 } });
    expect(browser.cookies.has("atelier.session_token")).toBe(true);
    expect(await browser.visit(visitor)).not.toBeNull();
  });
});

describe("requireVisitor", () => {
  it("leads the signed-out to /sign-in and back", async () => {
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
  ])("knows the page behind %s", (asked, page) => {
    expect(toSignIn(new Request(ORIGIN + asked)).headers.get("Location")).toBe(`/sign-in?${new URLSearchParams({ redirectTo: page })}`);
  });

  it.each(["/projects", "/projects/", "/projects.data?_routes=routes%2Fprojects"])("leads from %s to the plain address", (asked) => {
    expect(toSignIn(new Request(ORIGIN + asked)).headers.get("Location")).toBe("/sign-in");
  });
});

describe("the browser's next token", () => {
  it("is fresh, and kept for the next page too", async () => {
    const first = await browser.visit(visitor);
    await new Promise((resolve) => setTimeout(resolve, 1001 - (Date.now() % 1000)));
    const answer = await browser.visit(convexTokenAnswer);
    const { token } = await answer.json();
    expect(answer.status).toBe(200);
    expect(token).not.toBe(first?.convexToken);
    expect((await browser.visit(visitor))?.convexToken).toBe(token);
  });

  it("is 401 when signed out, and 503 when nobody can tell", async () => {
    expect((await new Browser().visit(convexTokenAnswer)).status).toBe(401);
    await expect(browser.visit(convexTokenAnswer, { ...config, convexUrl: "http://127.0.0.1:3" })).rejects.toMatchObject({
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

  it("says 503 while the deployment does not answer, not that the password is wrong", async () => {
    const answer = await signIn({ ...config, convexUrl: "http://127.0.0.1:3" });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("Retry-After")).toBe("5");
  });

  it("counts attempts by our own word for the client's address, not by what was sent", async () => {
    const limited = { ...config, accounts: { ...config.accounts, rateLimit: true } };
    const attempt = (n: number) =>
      signIn(limited, { "X-Forwarded-For": `198.51.100.${n}`, "x-atelier-client-address": `198.51.100.${n}` }, "wrong password");
    for (const n of [1, 2, 3]) expect((await attempt(n)).status).toBe(401);
    const refused = await attempt(4);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  });

  it("gives cookies for this host alone over https", async () => {
    const secure = { ...config, appUrl: "https://atelier.example" };
    const answer = await signIn(secure);
    const cookies = answer.headers.getSetCookie();
    expect(cookies.some((cookie) => cookie.startsWith("__Host-atelier.session_token="))).toBe(true);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^__Host-atelier\./);
      for (const attribute of ["; Path=/", "; HttpOnly", "; Secure", "; SameSite=Lax"]) expect(cookie).toContain(attribute);
      expect(cookie).not.toContain("Domain");
    }
  });

  it("keeps names and pictures within what a cookie holds", async () => {
    const answer = await browser.post("/update-user", { name: "x".repeat(201) });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it("cuts what a provider says too lengthily", async () => {
    const { internalAdapter } = await authFor(config, browser.request("/")).$context;
    const told = { email: `long${people++}@example.com`, name: "x".repeat(500), image: `https://${"i".repeat(2000)}` };
    const user = await internalAdapter.createUser(told, { method: "oauth" });
    expect(user).toMatchObject({ name: "x".repeat(200), image: null });
  });

  it("takes two sign-ups with one address for one", async () => {
    const email = `twice${people++}@example.com`;
    const both = await Promise.all([1, 2].map(() => new Browser().post("/sign-up/email", { ...person, email })));
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
  });

  it.each([
    ["/api/auth/error?error=state_not_found", "/error?error=state_not_found"],
    ["/api/auth/error", "/error"],
    ["/api/auth/error?error=%3Cscript%3E", "/error?error=%3Cscript%3E"],
  ])("leads %s to our own page", async (path, target) => {
    const answer = await passToAuth({ context: contextOf(config), request: new Request(ORIGIN + path) });
    expect(answer.status).toBe(302);
    expect(answer.headers.get("Location")).toBe(target);
  });

  it("knows the older name of the request for a reset", async () => {
    const answer = await browser.post("/forget-password", { email: person.email });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ message: "Reset password isn't enabled" });
  });

  it("refuses a form from elsewhere", async () => {
    expect((await signIn(config, { Origin: "https://evil.example" })).status).toBe(403);
    expect((await signIn(config, { Cookie: "a=b" })).status).toBe(403);
    expect((await signIn(config)).status).toBe(200);
  });
});
