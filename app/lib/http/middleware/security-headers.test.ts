import { describe, expect, it } from "vitest";
import { nonceContext } from "../context";
import { secureHeaders } from "./security-headers.server";
import { answerOf, testConfig } from "../testing";

const page = new Request("https://atelier.example/projects");

function directivesOf(response: Response): Map<string, string> {
  const policy = response.headers.get("Content-Security-Policy") ?? "";
  return new Map(policy.split("; ").map((directive) => [directive.split(" ", 1).join(""), directive.split(" ").slice(1).join(" ")]));
}

describe("secureHeaders", () => {
  it("sets a new nonce for the scripts of each response", { tags: "@sets-new-nonce-scripts-each-response" }, async () => {
    const nonces = new Set<string>();
    for (let n = 0; n < 2; n++) {
      let nonce = "";
      const response = await answerOf(secureHeaders, page, { inner: (context) => new Response((nonce = context.get(nonceContext))) });
      expect(directivesOf(response).get("script-src")).toBe(`'self' 'nonce-${nonce}'`);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(2);
  });

  it("sends a strict policy and isolation headers with a page", { tags: "@sends-strict-policy-isolation-headers-page" }, async () => {
    const response = await answerOf(secureHeaders, page);
    const policy = directivesOf(response);
    expect(policy.get("frame-ancestors")).toBe("'none'");
    expect(policy.get("object-src")).toBe("'none'");
    expect(policy.get("base-uri")).toBe("'none'");
    expect(policy.get("form-action")).toBe("'self'");
    expect(policy.get("img-src")).toBe("'self' data: blob:");
    expect(policy.get("connect-src")).toBe("'self'");
    expect(policy.get("require-trusted-types-for")).toBe("'script'");
    expect(policy.get("trusted-types")).toBe("'none'");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": expect.stringContaining("camera=()"),
      "strict-transport-security": expect.stringContaining("max-age=31536000"),
    });
  });

  it("allows connections to the remote deployment only", { tags: "@allows-connections-remote-deployment-only" }, async () => {
    const config = { ...testConfig, browserConvex: { kind: "direct" as const, url: "https://happy-animal-123.convex.cloud/" } };
    expect(directivesOf(await answerOf(secureHeaders, page, { config })).get("connect-src")).toBe(
      "'self' https://happy-animal-123.convex.cloud wss://happy-animal-123.convex.cloud",
    );
  });

  it("allows no extra sources for social providers", { tags: "@allows-no-extra-sources-social-providers" }, async () => {
    const gitlab = { clientId: "a", clientSecret: "b", issuer: "https://gitlab.example" };
    const config = { ...testConfig, socialProviders: { github: { clientId: "a", clientSecret: "b" }, gitlab } };
    const policy = directivesOf(await answerOf(secureHeaders, page, { config }));
    expect([policy.get("form-action"), policy.get("img-src")]).toEqual(["'self'", "'self' data: blob:"]);
  });

  it("allows Vite's worker in development only", async () => {
    expect(directivesOf(await answerOf(secureHeaders, page, { config: { ...testConfig, production: false } })).get("worker-src")).toBe(
      "'self' blob:",
    );
    expect(directivesOf(await answerOf(secureHeaders, page, { config: { ...testConfig, production: true } })).has("worker-src")).toBe(
      false,
    );
  });

  it("sends HSTS and upgrades only over https", { tags: "@sends-hsts-upgrades-only-over-https" }, async () => {
    const config = { ...testConfig, origins: [] };
    const response = await answerOf(secureHeaders, new Request("http://localhost:3000/"), { config });
    expect(response.headers.has("Strict-Transport-Security")).toBe(false);
    expect(directivesOf(response).has("upgrade-insecure-requests")).toBe(false);
  });

  it.each([
    ["https://atelier.example", true],
    ["http://localhost:3000", true],
    ["http://127.0.0.1:3000", true],
    ["http://[::1]:3000", true],
    ["http://nas:3000", false],
    ["http://192.168.1.20:3000", false],
  ])("sends COOP and Origin-Agent-Cluster only in a secure context: %s", async (origin, sent) => {
    const { headers } = await answerOf(secureHeaders, new Request(origin), { config: { ...testConfig, origins: [origin] } });
    expect([headers.has("Cross-Origin-Opener-Policy"), headers.has("Origin-Agent-Cluster")]).toEqual([sent, sent]);
  });

  it("keeps a response's own policy", async () => {
    const own = { "Content-Security-Policy": "sandbox; default-src 'none'" };
    const response = await answerOf(secureHeaders, page, { inner: () => new Response("picture", { headers: own }) });
    expect(response.headers.get("Content-Security-Policy")).toBe("sandbox; default-src 'none'");
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  it("accepts responses with immutable headers", async () => {
    const response = await answerOf(secureHeaders, page, { inner: () => Response.redirect("https://atelier.example/x") });
    expect(response.status).toBe(302);
    expect(response.headers.get("Location")).toBe("https://atelier.example/x");
    expect(response.headers.get("X-Frame-Options")).toBe("DENY");
  });
});
