import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppConfig } from "~/config";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { testConfig } from "~/lib/http/testing";
import { startTestDeployment, type TestDeployment } from "../../../../../tests/convex/deployment.ts";
import { startIssuer, type TestIssuer } from "../../../../../tests/harness/services/issuer.ts";
import { issuerRedirect } from "./issuer-redirect.server";

const ORIGIN = "http://localhost:3000";

let deployment: TestDeployment;
let issuer: TestIssuer;
let config: AppConfig;
beforeAll(async () => {
  [deployment, issuer] = await Promise.all([startTestDeployment(), startIssuer()]);
  const acme = { id: "oidc-acme", issuer: issuer.url, clientId: issuer.clientId, clientSecret: "s", label: "Acme" };
  config = {
    ...testConfig,
    origins: [],
    strictTransportSecurity: {},
    convexUrl: deployment.url,
    signingKey: deployment.signingKey,
    accounts: { ...testConfig.accounts, emailAndPassword: false, signInRedirect: true },
    issuers: [{ ...acme, scopes: ["openid"], domains: [], groups: [], adminGroup: null, endSession: false }],
  };
});
afterAll(() => Promise.all([deployment.close(), issuer.close()]));

type Sent = { path?: string; headers?: Record<string, string>; method?: string; accounts?: Partial<AppConfig["accounts"]> };

function openSignIn({ path = "/sign-in", headers = {}, method = "GET", accounts = {} }: Sent = {}): Promise<Response | null> {
  const request = new Request(ORIGIN + path, { method, headers });
  const context = new RouterContextProvider();
  context.set(configContext, { ...config, accounts: { ...config.accounts, ...accounts } });
  context.set(clientAddressContext, "192.0.2.1");
  return issuerRedirect({ request, context, url: new URL(request.url) });
}

describe("issuerRedirect", () => {
  it("redirects to the issuer, and stores the state for the callback", async () => {
    const cookie = "atelier.session_token=ended";
    const answer = await openSignIn({
      path: "/sign-in?redirectTo=%2Fbilling",
      headers: { Cookie: cookie, "Sec-Fetch-Site": "cross-site" },
    });
    expect(answer?.status).toBe(302);
    expect(answer?.headers.get("Location")).toMatch(`${issuer.url}/auth?`);
    expect(answer?.headers.getSetCookie().join()).toContain("atelier.state=");
  });

  it.each<[string, Sent]>([
    ["without the setting", { accounts: { signInRedirect: false } }],
    ["for a request by a page's script", { path: "/sign-in.data" }],
    ["for a prefetch", { headers: { "Sec-Purpose": "prefetch" } }],
    ["for HEAD", { method: "HEAD" }],
    ["after a sign-out, whose message is still to be shown", { headers: { Cookie: "theme=dark; flash=abc" } }],
    ["with an error", { path: "/sign-in?error=INVALID_TOKEN" }],
    ["with a notice", { path: "/sign-in?notice=password-changed" }],
    ["when asked to stay", { path: "/sign-in?stay" }],
  ])("shows the page %s", async (_, sent) => {
    expect(await openSignIn(sent)).toBeNull();
  });

  it("shows an error while the issuer does not answer, and after too many attempts", async () => {
    issuer.answer("/.well-known/openid-configuration", (_, response) => response.writeHead(503).end());
    const location = async () => (await openSignIn({ path: "/sign-in?redirectTo=%2Fbilling" }))?.headers.get("Location");
    expect(await location()).toBe("/sign-in?redirectTo=%2Fbilling&error=issuer_unavailable");
    for (let sent = 0; sent < 30; sent++) await location();
    expect(await location()).toBe("/sign-in?redirectTo=%2Fbilling&error=TOO_MANY_REQUESTS");
  });
});
